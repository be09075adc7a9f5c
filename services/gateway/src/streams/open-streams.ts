import type { ServerResponse } from "node:http";
import { type Clock, FairQueue } from "@muster/service";
import { type Confirmation, type HeldCredential, unauthenticated } from "../auth/authenticator.ts";
import { RevokedIds } from "../auth/identity.ts";
import { EventStream, type StreamLimits, stoppingProblem, tickMs } from "./event-stream.ts";
import type { ReaderUrls } from "./reader-urls.ts";

/** Open for a client until it ends: a stream of events, or the connection of a computer. */
export interface OpenStream {
  /** Bytes that the client has not taken yet. */
  readonly waitingBytes: number;
  /** When the client last took something, by the monotonic clock. */
  readonly lastTakenMs: number;
  /** Called about twice a second. */
  tick(nowMs: number): void;
  /** The process is about to stop: it ends now if its client loses nothing by that. */
  leave(): void;
  /** Ends because the process stops. */
  stop(): void;
  /** Ends because the credential was revoked or has expired. */
  endUnauthenticated(): void;
  /** Disconnects a client that takes nothing. */
  cutStalled(): void;
  /** Closes the connection, even if data is waiting. */
  destroy(): void;
}

/** All open streams: they share one timer, and end when the process stops. */
export class OpenStreams {
  readonly readerUrls: ReaderUrls;
  /** With the projects whose data they show. */
  readonly #streams = new Map<OpenStream, string>();
  readonly #byCredential: StreamsByCredential;
  readonly #limits: StreamLimits;
  readonly #clock: Clock;
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;
  #whenEmpty: (() => void) | undefined;

  constructor(limits: StreamLimits, clock: Clock, readerUrls: ReaderUrls = () => (message) => message) {
    this.readerUrls = readerUrls;
    this.#limits = limits;
    this.#clock = clock;
    this.#byCredential = new StreamsByCredential(clock, limits.recheckMs);
  }

  get size(): number {
    return this.#streams.size;
  }

  /**
   * The stream ends with its credential. `waitedMs`: how long the reader has been waiting already. Throws UNAVAILABLE while
   * stopping, UNAUTHENTICATED after a revocation.
   */
  add(raw: ServerResponse, credential?: HeldCredential, waitedMs = 0): EventStream {
    const now = () => this.#clock.monotonicMs();
    return this.keep((onClosed) => new EventStream(raw, this.#limits, now, onClosed, waitedMs), credential);
  }

  /** Keeps the stream that `open` opens, and throws as `add` does. `onClosed` is to be called when the stream has closed. */
  keep<Kept extends OpenStream>(open: (onClosed: () => void) => Kept, credential?: HeldCredential): Kept {
    if (this.#isStopping) throw stoppingProblem();
    if (credential !== undefined && this.#byCredential.isRevoked(credential)) throw unauthenticated();
    const stream = open(() => this.#remove(stream, credential));
    this.#streams.set(stream, credential?.projectId ?? "");
    if (credential !== undefined) this.#byCredential.add(stream, credential);
    this.#timer ??= setInterval(() => this.tick(), tickMs(this.#limits)).unref();
    return stream;
  }

  tick(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const stream of this.#streams.keys()) stream.tick(nowMs);
    cutWaiting(this.#streams, nowMs);
    this.#byCredential.tick();
  }

  /** Ends the streams of a key or token that was revoked. */
  revoke(credentialId: string): void {
    this.#byCredential.revoke(credentialId);
  }

  /** Ends the streams of all credentials that are no longer valid, because a revocation may have been missed. */
  recheck(): Promise<void> {
    return this.#byCredential.recheck();
  }

  /** Allows streams to continue for `graceMs`, then ends them, then closes those that are not read within `flushMs`. */
  async stop(graceMs: number, flushMs: number): Promise<void> {
    this.#isStopping = true;
    for (const stream of this.#streams.keys()) stream.leave();
    await this.#emptyWithin(graceMs);
    for (const stream of this.#streams.keys()) stream.stop();
    await this.#emptyWithin(flushMs);
    for (const stream of this.#streams.keys()) stream.destroy();
    clearInterval(this.#timer);
  }

  #remove(stream: OpenStream, credential: HeldCredential | undefined): void {
    this.#streams.delete(stream);
    if (credential !== undefined) this.#byCredential.remove(stream, credential);
    if (this.#streams.size === 0) {
      this.#whenEmpty?.();
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #emptyWithin(limitMs: number): Promise<void> {
    if (this.#streams.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#whenEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** More at once would make the requests of others wait for their authentication. */
const checksAtOnce = 20;
/** After a check without a response. */
const retryMs = 500;

/** The open streams of one credential, which are checked together. */
type Held = ReturnType<typeof newHeld>;

/** Finds the streams of a credential that was revoked or has expired. */
class StreamsByCredential {
  readonly #clock: Clock;
  readonly #recheckMs: number;
  readonly #held = new Map<string, Held>();
  readonly #revoked = new RevokedIds();
  readonly #checks = new FairQueue({ running: checksAtOnce });

  /** `recheckMs`: how long a credential is taken for valid, counted from the question to the auth service. */
  constructor(clock: Clock, recheckMs: number) {
    this.#clock = clock;
    this.#recheckMs = recheckMs;
  }

  /** Whether it was revoked after its request was admitted. */
  isRevoked({ ids, askedAtMs }: HeldCredential): boolean {
    return this.#revoked.hasSince(ids, askedAtMs);
  }

  add(stream: OpenStream, credential: HeldCredential): void {
    const { name } = credential;
    const held = this.#held.get(name) ?? newHeld(credential);
    this.#held.set(name, held);
    held.streams.add(stream);
    confirm(held, credential);
  }

  remove(stream: OpenStream, { name }: HeldCredential): void {
    const held = this.#held.get(name);
    held?.streams.delete(stream);
    if (held?.streams.size === 0) this.#held.delete(name);
  }

  /** Ends the streams that depend on this credential, now and if their requests were admitted just before. */
  revoke(id: string): void {
    this.#revoked.add(id, this.#clock.monotonicMs());
    for (const { credential, streams } of this.#held.values()) if (credential.ids.includes(id)) end(streams);
  }

  /** Ends the streams whose credential has expired, and checks the credentials whose last confirmation is too old. */
  tick(): void {
    const nowMs = this.#clock.monotonicMs();
    const wallMs = this.#clock.now();
    for (const held of this.#held.values()) {
      const { streams, confirmedAtMs, expiresAtMs, notBeforeMs, isChecking } = held;
      const isDue = nowMs >= confirmedAtMs + this.#recheckMs && nowMs >= notBeforeMs;
      if (expiresAtMs <= wallMs) end(streams);
      else if (isDue && !isChecking) void this.#check(held, nowMs - this.#recheckMs + 1);
    }
  }

  /** Asks about every credential, whatever was confirmed before. */
  async recheck(): Promise<void> {
    const checks = [...this.#held.values()].map((held) => this.#check(held, Number.POSITIVE_INFINITY));
    await Promise.all(checks);
  }

  async #check(held: Held, sinceMs: number): Promise<void> {
    held.isChecking = true;
    try {
      await this.#checks.run(held.credential.projectId, () => this.#confirm(held, sinceMs));
    } catch {
      // Without a response, nothing is known to be invalid. The next tick repeats it.
      held.notBeforeMs = this.#clock.monotonicMs() + retryMs;
    } finally {
      held.isChecking = false;
    }
  }

  async #confirm(held: Held, sinceMs: number): Promise<void> {
    if (held.streams.size === 0) return;
    const confirmation = await held.credential.confirm(sinceMs);
    if (confirmation === undefined) end(held.streams);
    else confirm(held, confirmation);
  }
}

function newHeld(credential: HeldCredential) {
  return {
    credential,
    streams: new Set<OpenStream>(),
    /** When the auth service was last asked and said that it is valid. */
    confirmedAtMs: credential.askedAtMs,
    /** Milliseconds since 1970, as it was confirmed last. */
    expiresAtMs: credential.expiresAtMs,
    /** After a check without a response. */
    notBeforeMs: Number.NEGATIVE_INFINITY,
    isChecking: false,
  };
}

function confirm(held: Held, { askedAtMs, expiresAtMs }: Confirmation): void {
  if (askedAtMs < held.confirmedAtMs) return;
  held.confirmedAtMs = askedAtMs;
  held.expiresAtMs = expiresAtMs;
}

function end(streams: Iterable<OpenStream>): void {
  for (const stream of [...streams]) stream.endUnauthenticated();
}

/** The bytes that wait for the readers of all streams together. */
const maxWaitingBytes = 256 * 1024 * 1024;

/** Also what a reader has not taken that has just taken something is a burden. */
const shortestMs = 500;

/** A stream whose reader may have stopped. */
interface Waiting {
  readonly waitingBytes: number;
  /** When the reader last took something. */
  readonly lastTakenMs: number;
  cutStalled(): void;
}

/**
 * Cuts readers until the rest fits: each time one of the project for which most is waiting, first those for which most
 * has been waiting for the longest time. So a project's stopped readers never cost another one its readers. One stream
 * may keep an event of several megabytes, so that some hundred stopped readers would otherwise fill the memory within a
 * minute. The size counts as well, because readers that take a byte now and then would otherwise cause those to be cut
 * for which hardly anything waits.
 */
export function cutWaiting(
  streams: Iterable<readonly [stream: Waiting, projectId: string]>,
  nowMs: number,
  maxBytes: number = maxWaitingBytes,
): void {
  const waiting = [...streams].filter(([{ waitingBytes }]) => waitingBytes > 0);
  const sum = (some: typeof waiting) => some.reduce((bytes, [{ waitingBytes }]) => bytes + waitingBytes, 0);
  let bytes = sum(waiting);
  if (bytes <= maxBytes) return;
  const burden = ([{ waitingBytes, lastTakenMs }]: (typeof waiting)[number]) =>
    waitingBytes * (nowMs - lastTakenMs + shortestMs);
  const projects = [...Map.groupBy(waiting, ([, projectId]) => projectId).values()].map((some) => ({
    bytes: sum(some),
    // The first of equal ones is the last.
    lightestFirst: some.toSorted((a, b) => burden(b) - burden(a)).reverse(),
  }));
  while (bytes > maxBytes) {
    const largest = projects.reduce((a, b) => (b.bytes > a.bytes ? b : a));
    const [stream] = largest.lightestFirst.pop() ?? [];
    if (stream === undefined) return;
    const { waitingBytes } = stream;
    largest.bytes -= waitingBytes;
    bytes -= waitingBytes;
    stream.cutStalled();
  }
}
