import { setTimeout } from "node:timers/promises";
import { type Clock, systemClock } from "@muster/service";

/** A clock that lags behind the system's, passes time as that does, and can be moved forward up to it. */
export class MovingClock implements Clock {
  #lagMs: number;
  #passedMs = 0;

  constructor(startMs: number) {
    this.#lagMs = systemClock.now() - startMs;
  }

  now(): number {
    return systemClock.now() - this.#lagMs;
  }

  monotonicMs(): number {
    return systemClock.monotonicMs() + this.#passedMs;
  }

  /** Passes time: no more than the clock lags behind. */
  advance(byMs: number): void {
    const passedMs = Math.min(Math.max(0, byMs), this.#lagMs);
    this.#lagMs -= passedMs;
    this.#passedMs += passedMs;
  }

  /** Passes the time until then; none if that has passed. */
  moveTo(ms: number): void {
    this.advance(ms - this.now());
  }

  /** Waits in real time: work in the background, such as the sending of webhooks, then gets its right time. */
  async rest(ms: number): Promise<void> {
    await setTimeout(ms);
  }

  /** Ends the lag. */
  catchUp(): void {
    this.advance(this.#lagMs);
  }
}
