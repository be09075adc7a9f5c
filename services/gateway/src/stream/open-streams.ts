import type { ServerResponse } from "node:http";
import type { Clock } from "@muster/service";
import { EventStream, type StreamLimits, stoppingProblem } from "./event-stream.ts";

/** All open streams: they share one timer, and end when the process stops. */
export class OpenStreams {
  readonly #streams = new Set<EventStream>();
  readonly #limits: StreamLimits;
  readonly #clock: Clock;
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;
  #whenEmpty: (() => void) | undefined;

  constructor(limits: StreamLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Throws UNAVAILABLE while stopping. */
  add(raw: ServerResponse): EventStream {
    if (this.#isStopping) throw stoppingProblem();
    const stream = new EventStream(
      raw,
      this.#limits,
      () => this.#clock.now(),
      () => this.#remove(stream),
    );
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => this.tick(), tickMs(this.#limits)).unref();
    return stream;
  }

  tick(): void {
    const nowMs = this.#clock.now();
    for (const stream of this.#streams) stream.tick(nowMs);
  }

  /** Lets streams continue for `graceMs`, then ends them, then closes those that are not read within `flushMs`. */
  async stop(graceMs: number, flushMs: number): Promise<void> {
    this.#isStopping = true;
    await this.#emptyWithin(graceMs);
    for (const stream of this.#streams) stream.stop();
    await this.#emptyWithin(flushMs);
    for (const stream of this.#streams) stream.destroy();
    clearInterval(this.#timer);
  }

  #remove(stream: EventStream): void {
    this.#streams.delete(stream);
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

function tickMs({ heartbeatMs }: StreamLimits): number {
  return Math.min(1_000, Math.max(10, heartbeatMs / 15));
}
