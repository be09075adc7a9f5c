import type { ServerResponse } from "node:http";
import { Code, ConnectError } from "@connectrpc/connect";
import type { StreamEvent } from "@muster/proto/sessions";
import { HttpProblem } from "../errors/http-problem.ts";
import { doneFrame, frameOf, framesOf, heartbeatFrame, sseHeaders } from "./frames.ts";
import { OpenParts } from "./open-parts.ts";
import { streamErrorOf } from "./stream-error.ts";

export interface StreamLimits {
  /** Silence after which a heartbeat is sent. */
  heartbeatMs: number;
  /** How long a reader may take nothing while data waits for it. */
  drainTimeoutMs: number;
  /** How long the first event may take. */
  firstEventTimeoutMs: number;
}

/** Shared by all streams: sources need no more than that nobody wants the rest. `endReason` says why. */
const cancelled = new ConnectError("The stream was ended by its reader or by the gateway.", Code.Canceled);

/** Written early within a turn of the event loop when this much has gathered. */
const flushAtLength = 64 * 1024;

/**
 * Why a stream ended before its time. The reader left, was cut because it read nothing, or the platform ended it.
 */
export type EndReason = "reader-left" | "reader-stalled" | "first-event-timeout" | "stopping";

/**
 * One response as a stream of events. States: `waiting` for the first event (errors are still JSON answers),
 * `open`, `ended` (the last frame is written or the connection gone). Whatever gathers within a turn of the event
 * loop leaves as one write; while the reader's buffer is full nothing more is taken from the source.
 */
export class EventStream {
  readonly #raw: ServerResponse;
  readonly #limits: StreamLimits;
  readonly #now: () => number;
  readonly #abort = new AbortController();
  readonly #parts = new OpenParts();
  readonly #onClosed: () => void;
  #state: "waiting" | "open" | "ended" = "waiting";
  #pending = "";
  #isFlushPlanned = false;
  #lastActiveMs: number;
  #resume: (() => void) | undefined;
  #endReason: EndReason | undefined;

  constructor(raw: ServerResponse, limits: StreamLimits, now: () => number, onClosed: () => void) {
    this.#raw = raw;
    this.#limits = limits;
    this.#now = now;
    this.#onClosed = onClosed;
    this.#lastActiveMs = now();
    raw.once("close", this.#closed);
    // The reader may have left while the request was checked; its event is past then.
    if (raw.closed) queueMicrotask(this.#closed);
  }

  /** Aborted when nobody needs the source any more. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Set before the signal is aborted. */
  get endReason(): EndReason | undefined {
    return this.#endReason;
  }

  /** Sends the headers. From here on failures are `error` events. */
  open(headers: Readonly<Record<string, string>>): void {
    this.#state = "open";
    this.#lastActiveMs = this.#now();
    this.#raw.on("drain", this.#drained);
    this.#raw.on("timeout", this.#stalled);
    this.#raw.writeHead(200, { ...sseHeaders, ...headers });
  }

  /** Takes a batch. Returns a promise when the source has to wait for the reader. */
  push({ events }: { events: readonly StreamEvent[] }): Promise<void> | undefined {
    if (this.#state !== "open") return undefined;
    for (const event of events) this.#parts.observe(event);
    this.#pending += framesOf(events);
    if (this.#pending.length >= flushAtLength) this.#flush();
    else if (!this.#isFlushPlanned) {
      this.#isFlushPlanned = true;
      setImmediate(this.#flush);
    }
    return this.#raw.writableNeedDrain ? this.#untilWritable() : undefined;
  }

  /** Ends normally: the source has sent everything. */
  finish(): void {
    this.#end("");
  }

  /** Ends with an `error` event, after the ends of whatever is open. */
  fail(problem: HttpProblem): void {
    this.#end(this.#parts.closingFrames() + frameOf(streamErrorOf(problem)));
  }

  /** Ends because the platform stops; the source is aborted. */
  stop(): void {
    this.fail(stoppingProblem());
    this.#cancel("stopping");
  }

  /** Called about once a second: heartbeats, and the limit on the first event. */
  tick(nowMs: number): void {
    const silentMs = nowMs - this.#lastActiveMs;
    if (this.#state === "waiting" && silentMs >= this.#limits.firstEventTimeoutMs) {
      this.#cancel("first-event-timeout");
    } else if (
      this.#state === "open" &&
      silentMs >= this.#limits.heartbeatMs &&
      !this.#raw.writableNeedDrain
    ) {
      this.#write(heartbeatFrame);
    }
  }

  /** Drops the connection, written or not. */
  destroy(): void {
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
    // The socket's own timer looks at what the kernel has taken since, so a slow reader is not a stalled one.
    if (!this.#raw.write(text)) this.#raw.setTimeout(this.#limits.drainTimeoutMs);
  }

  #end(lastFrames: string): void {
    if (this.#state !== "open") return;
    this.#state = "ended";
    const text = this.#pending + lastFrames + doneFrame;
    this.#pending = "";
    this.#raw.setTimeout(this.#limits.drainTimeoutMs);
    this.#raw.end(text);
    this.#resume?.();
  }

  #cancel(reason: EndReason): void {
    this.#endReason ??= reason;
    // Given a reason, because the default one is an exception with a stack for every stream that ends.
    this.#abort.abort(cancelled);
  }

  #untilWritable(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  readonly #drained = (): void => {
    if (this.#state === "open") this.#raw.setTimeout(0);
    this.#resume?.();
  };

  readonly #stalled = (): void => {
    this.#cancel("reader-stalled");
    this.#raw.destroy();
  };

  readonly #closed = (): void => {
    this.#state = "ended";
    this.#pending = "";
    this.#cancel("reader-left");
    this.#resume?.();
    this.#onClosed();
  };
}

export function stoppingProblem(): HttpProblem {
  return new HttpProblem("UNAVAILABLE", "The server is being restarted. Try again in a moment.", {
    retryAfterMs: 1_000,
  });
}
