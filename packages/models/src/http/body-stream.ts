import { setTimeout as sleep } from "node:timers/promises";
import { GrowingBuffer, nextTurn, turnIfSpent } from "@muster/large-data";
import type { BodyGate, Pace } from "./body-gate.ts";

/** The connection behind a body. */
export interface BodySource {
  pause(): void;
  resume(): void;
  /** Abandons the rest and closes the connection. */
  abort(reason: Error): void;
}

// Enough for any model to stream at full speed, little enough for thousands of slow readers; as much as one read of the
// connection, see `#take`.
const highWaterBytes = 64 * 1024;

// A chunk of tiny events costs the parsers above some milliseconds for each 16 KiB.
const maxChunkBytes = 16 * 1024;

/**
 * The body of a response. Everything that has arrived since the last read is one chunk, up to 16 KiB: an event stream
 * sends many small pieces, and each piece costs the parsers above more than its bytes do. Nothing is delayed for this.
 * When more than 64 KiB are waiting, the connection is paused until they are read. A body that exceeds a bound of its
 * gate is cut off.
 */
export class BodyStream {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly #source: BodySource;
  readonly #gate: BodyGate;
  readonly #pace: Pace;
  readonly #held = new GrowingBuffer();
  #paused = false;
  #ended = false;
  #failure: { reason: unknown } | undefined;
  #wake: (() => void) | undefined;
  /** How long the next read waits; 0 is until the next turn of the event loop. */
  #delayMs: number | undefined;

  constructor(source: BodySource, gate: BodyGate, pace: Pace) {
    this.#source = source;
    this.#gate = gate;
    this.#pace = pace;
    this.stream = new ReadableStream(
      {
        pull: (controller) => this.#pull(controller),
        cancel: (reason) => this.#cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }

  push(chunk: Buffer): void {
    if (this.#ended || this.#failure !== undefined) return;
    try {
      this.#hold(this.#gate.admit(chunk));
    } catch (error) {
      this.fail(error);
      this.#source.abort(asError(error));
      return;
    }
    if (this.#gate.isFull) {
      this.end();
      this.#source.abort(new Error("The rest of the body is not needed"));
    }
  }

  end(): void {
    this.#ended = true;
    this.#notify();
  }

  /** Data that was received before is still read first. */
  fail(reason: unknown): void {
    if (this.#ended) return;
    this.#failure ??= { reason };
    this.#notify();
  }

  #hold(chunk: Buffer): void {
    this.#held.add(chunk);
    if (this.#held.length > highWaterBytes && !this.#paused) {
      this.#paused = true;
      this.#source.pause();
    }
    this.#notify();
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    if (this.#delayMs !== undefined) await (this.#delayMs > 0 ? sleep(this.#delayMs) : nextTurn());
    if (this.#isEmpty()) {
      // Settled in a microtask, after the connection has handed over everything it had read.
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    // Many responses may arrive in one moment.
    await turnIfSpent();
    if (this.#held.length > 0) controller.enqueue(this.#take());
    else if (this.#failure !== undefined) controller.error(this.#failure.reason);
    else controller.close();
  }

  #isEmpty(): boolean {
    return this.#held.length === 0 && !this.#ended && this.#failure === undefined;
  }

  #take(): Uint8Array<ArrayBuffer> {
    const all = this.#held.take();
    const chunk = new Uint8Array(all.subarray(0, maxChunkBytes));
    const rest = all.subarray(maxChunkBytes);
    this.#held.add(rest);
    // Each time it is resumed, the connection reads up to 64 KiB more than it hands over, and keeps the rest. Resuming
    // before as much has been read would let that pile up: 25 MB after 8 MB of a slowly read response.
    if (this.#paused && this.#held.length === 0) {
      this.#paused = false;
      this.#source.resume();
    }
    // Others run between the parts of a large chunk, and a provider that floods is read slowly.
    const delayMs = this.#pace.count(chunk.length);
    this.#delayMs = delayMs > 0 || rest.length > 0 ? delayMs : undefined;
    return chunk;
  }

  #cancel(reason: unknown): void {
    if (!this.#ended) this.#source.abort(asError(reason));
    this.#held.take();
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("The body was not read", { cause: reason });
}
