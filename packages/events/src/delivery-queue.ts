import { redeliveryDelayMs } from "./redelivery-delay-ms.ts";

/** An event on its way to one consumer. */
export interface Delivery {
  readonly id: string;
  readonly event: unknown;
  /** In milliseconds since 1970. */
  readonly publishedAtMs: number;
  /** Number of handler calls so far. */
  attempts: number;
}

type Work = (delivery: Delivery) => Promise<void>;

interface Worker {
  work: Work;
  /** The delivery in progress. */
  running: Promise<void> | undefined;
}

/**
 * Events waiting for one consumer, handed to its workers one at a time. A worker that throws returns its
 * event for a later attempt.
 */
export class DeliveryQueue {
  readonly #waiting: Delivery[] = [];
  readonly #resting = new Set<NodeJS.Timeout>();
  readonly #workers = new Set<Worker>();
  readonly #capacity: number;
  readonly #onFailure: (delivery: Delivery, error: unknown) => void;
  readonly #onOverflow: (lost: number) => void;
  #closed = false;

  constructor(options: {
    capacity: number;
    onFailure(delivery: Delivery, error: unknown): void;
    onOverflow(lost: number): void;
  }) {
    this.#capacity = options.capacity;
    this.#onFailure = options.onFailure;
    this.#onOverflow = options.onOverflow;
  }

  push(delivery: Delivery): void {
    if (this.#closed) return;
    this.#waiting.push(delivery);
    if (this.#waiting.length + this.#resting.size > this.#capacity) this.#onOverflow(this.#drop());
    // Deferred, because a handler must never run inside a publish.
    setImmediate(() => this.#dispatch());
  }

  /** Returns a function that ends the worker and resolves once it is idle. */
  addWorker(work: Work): () => Promise<void> {
    const worker: Worker = { work, running: undefined };
    this.#workers.add(worker);
    setImmediate(() => this.#dispatch());
    return async () => {
      this.#workers.delete(worker);
      await worker.running;
    };
  }

  close(): void {
    this.#closed = true;
    this.#drop();
  }

  /** Returns the number of dropped events, both waiting and delayed after a failure. */
  #drop(): number {
    const dropped = this.#waiting.splice(0).length + this.#resting.size;
    for (const timer of this.#resting) clearTimeout(timer);
    this.#resting.clear();
    return dropped;
  }

  #dispatch(): void {
    for (const worker of [...this.#workers]) {
      if (worker.running !== undefined) continue;
      const delivery = this.#waiting.shift();
      if (delivery === undefined) return;
      // Goes to the back of the line, so that workers take turns.
      this.#workers.delete(worker);
      this.#workers.add(worker);
      worker.running = this.#deliver(worker, delivery);
    }
  }

  async #deliver(worker: Worker, delivery: Delivery): Promise<void> {
    delivery.attempts++;
    try {
      await worker.work(delivery);
    } catch (error) {
      this.#onFailure(delivery, error);
      this.#rest(delivery);
    }
    worker.running = undefined;
    this.#dispatch();
  }

  #rest(delivery: Delivery): void {
    if (this.#closed) return;
    const timer = setTimeout(() => {
      this.#resting.delete(timer);
      this.push(delivery);
    }, redeliveryDelayMs(delivery.attempts));
    this.#resting.add(timer);
  }
}
