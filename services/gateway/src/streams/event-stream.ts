import type { ServerResponse } from "node:http";
import { Code, ConnectError } from "@connectrpc/connect";
import { inFreeTick } from "@muster/large-data";
import type { UsedTokens } from "@muster/proto/sessions";
import { HttpProblem } from "../edge/errors/http-problem.ts";
import { StreamSummary } from "../edge/http/access-log.ts";
import { probe, probeEveryMs, ReaderProgress } from "../edge/http/slow-readers.ts";
import {
  type Encoding,
  heartbeatFrame,
  OpenParts,
  plainEncoding,
  type RelayedEvent,
  sseHeaders,
  streamErrorOf,
} from "./frames.ts";

export interface StreamLimits {
  /** The longest silence, also before the first event: the last tick that is surely in time sends a heartbeat. */
  heartbeatMs: number;
  /** How long a reader may take nothing while data is waiting for it. */
  drainTimeoutMs: number;
  /** How long the first event may take. */
  firstEventTimeoutMs: number;
  /**
   * How long the credential of an open stream is taken for valid, counted from the question to the auth service. Then it is
   * checked again, in case the event of its revocation is lost.
   */
  recheckMs: number;
}

/** A message of a streaming call. */
export interface Batch {
  events: readonly RelayedEvent[];
  /** Set on the last message, unless the turn was interrupted. */
  usedTokens?: UsedTokens | undefined;
}

/** Shared by all streams, because sources need only know that the rest is not wanted. `endReason` says why. */
const cancelled = new ConnectError("The stream was ended by its reader or by the gateway.", Code.Canceled);

/** This much is written without waiting for the frames that follow at once. */
const flushAtLength = 16 * 1024;

/** One tick may find the silence just too short, and the next one may be late. */
const lateTicks = 2;

/** The time between two ticks. */
export function tickMs({ heartbeatMs }: StreamLimits): number {
  return Math.min(500, Math.max(10, heartbeatMs / 30));
}

/**
 * Why a stream ended early: the reader left, was disconnected because it read nothing, its credential became invalid,
 * or the platform ended it.
 */
export type EndReason =
  | "reader-left"
  | "reader-stalled"
  | "first-event-timeout"
  | "stopping"
  | "unauthenticated";

/**
 * One response as a stream of events. States: `waiting` for the first event (errors are still JSON responses),
 * `collecting` (the response is one document), `open` (with the first event, or with the heartbeat that is due before it), `ended` (the last frame is written or the connection closed). Everything pushed by one callback
 * of the event loop is sent in one write, in the same turn of the loop; while the reader's buffer is full, nothing is read from the source.
 */
export class EventStream {
  /** For the access line. */
  readonly summary = new StreamSummary();
  readonly #raw: ServerResponse;
  readonly #limits: StreamLimits;
  readonly #now: () => number;
  readonly #abort = new AbortController();
  readonly #parts = new OpenParts();
  readonly #onClosed: () => void;
  #encoding = plainEncoding;
  /** The number of the turn's last event in this response. Undefined: the response cannot be continued. */
  #lastSequence: number | undefined;
  #state: "waiting" | "collecting" | "open" | "ended" = "waiting";
  #pending = "";
  #isFlushPlanned = false;
  readonly #startedMs: number;
  #lastActiveMs: number;
  /** The source has sent something. */
  #hasBegun = false;
  #openSilent: (() => void) | undefined;
  readonly #progress: ReaderProgress;
  #resume: (() => void) | undefined;
  #isHalfClosed = false;
  #endReason: EndReason | undefined;

  /** `waitedMs`: how long the reader has been waiting already. */
  constructor(
    raw: ServerResponse,
    limits: StreamLimits,
    now: () => number,
    onClosed: () => void,
    waitedMs = 0,
  ) {
    this.#raw = raw;
    this.#limits = limits;
    this.#now = now;
    this.#onClosed = onClosed;
    this.#startedMs = now();
    this.#lastActiveMs = this.#startedMs - waitedMs;
    this.#progress = new ReaderProgress(this.#startedMs);
    raw.once("close", this.#closed);
    raw.socket?.once("end", this.#halfClosed);
    // The reader may have left while the request was checked, before this listener was added.
    if (raw.closed) queueMicrotask(this.#closed);
  }

  /** Aborted once the source is no longer needed. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Set before the signal is aborted. */
  get endReason(): EndReason | undefined {
    return this.#endReason;
  }

  /** The headers are sent. */
  get hasOpened(): boolean {
    return this.#raw.headersSent;
  }

  /** `open` is called if the first event takes so long that a heartbeat is due. */
  whenSilent(open: () => void): void {
    this.#openSilent = open;
  }

  /** Sends the headers. From now on, failures are `error` events. */
  open(headers: Readonly<Record<string, string>>, encoding: Encoding = plainEncoding): void {
    this.#state = "open";
    this.#encoding = encoding;
    this.#lastActiveMs = this.#now();
    this.#raw.on("drain", this.#drained);
    this.#raw.writeHead(200, { ...sseHeaders, ...encoding.headers, ...headers });
  }

  /** The reader can continue the response. `cursor`: the number of the event before its first one. */
  continuableAfter(cursor: number): void {
    this.#lastSequence = cursor;
  }

  /** Takes a batch of a turn whose response is a single document, which the caller sends. */
  collect({ events, usedTokens }: Batch): void {
    this.#hasBegun = true;
    if (this.#state === "waiting") this.#state = "collecting";
    for (const event of events) this.summary.observe(event);
    this.summary.used(usedTokens);
  }

  /** Sends a batch. Returns a promise if the source must wait for the reader. */
  push({ events, usedTokens }: Batch): Promise<void> | undefined {
    if (this.#state !== "open") return undefined;
    this.#hasBegun = true;
    for (const event of events) {
      this.#parts.observe(event);
      this.summary.observe(event);
    }
    this.summary.used(usedTokens);
    // The source has accepted the reader, and nothing has happened yet.
    if (events.length === 0) this.#raw.flushHeaders();
    if (this.#lastSequence !== undefined) this.#lastSequence = events.at(-1)?.sequence ?? this.#lastSequence;
    this.#pending += this.#encoding.frames(events);
    if (this.#pending.length >= flushAtLength) this.#flush();
    else if (!this.#isFlushPlanned) {
      this.#isFlushPlanned = true;
      process.nextTick(this.#flush);
    }
    return this.#raw.writableNeedDrain ? this.#untilWritable() : undefined;
  }

  /** Ends normally: the source has sent everything. */
  finish(): void {
    this.#end("");
  }

  /**
   * Ends with an `error` event, after the ends of all open parts. These events are not part of the turn, so that a reader
   * who continues it must not count them: the error has the number to continue from.
   */
  fail(problem: HttpProblem): void {
    const event = streamErrorOf(problem, this.#lastSequence);
    if (this.#state === "open") this.summary.failed(event);
    this.#end(this.#encoding.added([...this.#parts.ends(), event]));
  }

  /** A stream may continue for a while. */
  leave(): void {}

  /** Ends because the platform stops; the source is aborted. */
  stop(): void {
    this.fail(stoppingProblem());
    this.#cancel("stopping");
  }

  /** Ends because the reader's credential was revoked or has expired; for the turn, the reader has left. */
  endUnauthenticated(): void {
    this.fail(endedCredentialProblem());
    this.#cancel("unauthenticated");
  }

  /** Called about twice a second: sends heartbeats, and enforces the limits on the first event and on stopped readers. */
  tick(nowMs: number): void {
    if (this.#isHalfClosed) this.#probe();
    if (this.#hasStopped(nowMs)) this.cutStalled();
    else if (!this.#hasBegun && nowMs - this.#startedMs >= this.#limits.firstEventTimeoutMs) {
      this.#cancel("first-event-timeout");
    } else if (nowMs - this.#lastActiveMs >= this.#limits.heartbeatMs - lateTicks * tickMs(this.#limits)) {
      if (this.#state === "waiting") this.#openSilent?.();
      if (this.#state === "open" && !this.#raw.writableNeedDrain) this.#write(heartbeatFrame);
    }
  }

  /** Bytes that the reader has not taken yet. */
  get waitingBytes(): number {
    return this.#raw.writableLength + this.#pending.length;
  }

  get lastTakenMs(): number {
    return this.#progress.lastTakenMs;
  }

  /** Disconnects a reader that takes nothing. */
  cutStalled(): void {
    this.#cancel("reader-stalled");
    this.destroy();
  }

  /** Closes the connection, even if data is waiting. */
  destroy(): void {
    this.summary.cut();
    this.#raw.destroy();
  }

  readonly #flush = (): void => {
    this.#isFlushPlanned = false;
    if (this.#pending === "" || this.#state !== "open") return;
    const text = this.#pending;
    this.#pending = "";
    this.#write(text);
  };

  #write(text: string): void {
    this.#lastActiveMs = this.#now();
    this.#raw.write(text);
  }

  /** Whether the reader has taken nothing for too long. */
  #hasStopped(nowMs: number): boolean {
    const { socket } = this.#raw;
    if (!this.#raw.headersSent || socket === null) return false;
    return this.#progress.observe(socket, nowMs) >= this.#limits.drainTimeoutMs;
  }

  #end(lastFrames: string): void {
    if (this.#state !== "open") return;
    this.#state = "ended";
    const text = this.#pending + lastFrames + this.#encoding.done;
    this.#pending = "";
    this.#raw.end(text);
    this.#resume?.();
  }

  #cancel(reason: EndReason): void {
    this.#endReason ??= reason;
    // Without a reason, Node would construct an exception with a stack for every stream that ends.
    this.#abort.abort(cancelled);
  }

  #untilWritable(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  /** The reader has closed its sending side, and perhaps the other one as well. */
  readonly #halfClosed = (): void => {
    this.#isHalfClosed = true;
    if (this.#state !== "open") return;
    this.#probe();
    setTimeout(this.#probe, probeEveryMs).unref();
  };

  /** Only writing shows whether a reader has left: the first write makes its side refuse, the next one fails. */
  readonly #probe = (): void => {
    if (this.#state === "open" && !this.#raw.writableNeedDrain) this.#write(heartbeatFrame);
    else if (this.#state === "waiting") probe(this.#raw);
  };

  readonly #drained = (): void => this.#resume?.();

  readonly #closed = (): void => {
    this.#raw.req.socket.off("end", this.#halfClosed);
    this.#state = "ended";
    this.#pending = "";
    this.#endReason ??= "reader-left";
    // Many readers can leave in one moment.
    inFreeTick(this.#left);
  };

  readonly #left = (): void => {
    this.#cancel("reader-left");
    this.#resume?.();
    this.#onClosed();
  };
}

function endedCredentialProblem(): HttpProblem {
  return new HttpProblem(
    "UNAUTHENTICATED",
    "The credential of this stream was revoked or has expired. Continue with a valid one.",
  );
}

export function stoppingProblem(): HttpProblem {
  return new HttpProblem("UNAVAILABLE", "The server is restarting. Try again in a moment.", {
    retryAfterMs: 1_000,
  });
}
