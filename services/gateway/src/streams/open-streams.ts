import type { ServerResponse } from "node:http";
import type { Clock } from "@muster/service";
import { unauthenticated } from "../auth/authenticator.ts";
import type { HeldCredential } from "../auth/request-credential.ts";
import { cutWaiting } from "./cut-waiting.ts";
import { EventStream, type StreamLimits, stoppingProblem, tickMs } from "./event-stream.ts";
import { StreamsByCredential } from "./streams-by-credential.ts";

/** All open streams: they share one timer, and end when the process stops. */
export class OpenStreams {
  /** With the projects whose data they show. */
  readonly #streams = new Map<EventStream, string>();
  readonly #byCredential: StreamsByCredential;
  readonly #limits: StreamLimits;
  readonly #clock: Clock;
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;
  #whenEmpty: (() => void) | undefined;

  constructor(limits: StreamLimits, clock: Clock) {
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
    if (this.#isStopping) throw stoppingProblem();
    if (credential !== undefined && this.#byCredential.isRevoked(credential)) throw unauthenticated();
    const stream = new EventStream(
      raw,
      this.#limits,
      () => this.#clock.monotonicMs(),
      () => this.#remove(stream, credential),
      waitedMs,
    );
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
    await this.#emptyWithin(graceMs);
    for (const stream of this.#streams.keys()) stream.stop();
    await this.#emptyWithin(flushMs);
    for (const stream of this.#streams.keys()) stream.destroy();
    clearInterval(this.#timer);
  }

  #remove(stream: EventStream, credential: HeldCredential | undefined): void {
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
