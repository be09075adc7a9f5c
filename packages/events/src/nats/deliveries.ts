import type { Logger } from "@muster/service";
import type { JsMsg } from "nats";
import type { EventHandler } from "../bus.ts";
import { redeliveryDelayMs } from "../redelivery.ts";
import { type EventMap, readEvent, type Subject } from "../subjects.ts";

export const eventIdHeader = "Nats-Msg-Id";

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * The events that one subscription has received and not finished. They outlive connections: acknowledgements go out
 * over whatever connection there is.
 */
export class Deliveries<S extends Subject> {
  readonly #subject: S;
  readonly #handler: EventHandler<S>;
  readonly #log: Logger;
  /** By stream sequence, in order of arrival. A newer delivery of the same event replaces the older. */
  readonly #unfinished = new Map<number, JsMsg>();
  readonly #keepAlive: NodeJS.Timeout;
  #running: Promise<void> | undefined;
  #lastSequence = 0;
  #stopped = false;

  constructor(options: { subject: S; handler: EventHandler<S>; log: Logger; redeliverAfterMs: number }) {
    this.#subject = options.subject;
    this.#handler = options.handler;
    this.#log = options.log;
    // Events in the hands of a slow handler, or behind it, must not be taken for lost.
    this.#keepAlive = setInterval(() => this.#stillWorking(), options.redeliverAfterMs / 3).unref();
  }

  /** Where a consumer that has to be made anew begins, so that nothing received here counts as done too early. */
  get nextSequence(): number {
    return Math.min(this.#lastSequence + 1, ...this.#unfinished.keys());
  }

  /** Everything up to this sequence was published before the subscription. */
  startAfter(sequence: number): void {
    this.#lastSequence = Math.max(this.#lastSequence, sequence);
  }

  /** Resolves when everything received has been handled. */
  async receive(message: JsMsg): Promise<void> {
    if (this.#stopped) {
      this.#settle(() => message.nak());
      return;
    }
    this.#lastSequence = Math.max(this.#lastSequence, message.seq);
    this.#unfinished.set(message.seq, message);
    this.#running ??= this.#run();
    await this.#running;
  }

  /** Gives back what waits, for other instances, and resolves when the handler that runs is done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    clearInterval(this.#keepAlive);
    for (const message of this.#unfinished.values()) this.#settle(() => message.nak());
    this.#unfinished.clear();
  }

  async #run(): Promise<void> {
    for (const [sequence, message] of this.#unfinished) {
      if (this.#stopped) break;
      await this.#handle(message);
      this.#unfinished.delete(sequence);
    }
    this.#running = undefined;
  }

  async #handle(message: JsMsg): Promise<void> {
    const event = this.#read(message);
    if (event === undefined) {
      this.#settle(() => message.term("not an event of this subject"));
      return;
    }
    const id = idOf(message);
    try {
      await this.#handler(event, { id, redelivered: message.redelivered });
      this.#settle(() => message.ack());
    } catch (error) {
      const attempts = message.info.deliveryCount;
      this.#log.warn(
        { err: error, subject: this.#subject, eventId: id, attempts },
        "an event handler failed; it will be tried again",
      );
      this.#settle(() => message.nak(redeliveryDelayMs(attempts)));
    }
  }

  #read(message: JsMsg): EventMap[S] | undefined {
    try {
      return readEvent(this.#subject, JSON.parse(decoder.decode(message.data)));
    } catch (error) {
      this.#log.error(
        { err: error, subject: this.#subject, eventId: idOf(message) },
        "dropped an unreadable event",
      );
      return undefined;
    }
  }

  #stillWorking(): void {
    for (const message of this.#unfinished.values()) this.#settle(() => message.working());
  }

  /** An answer that cannot be sent means that the event comes again, which handlers must bear anyway. */
  #settle(answer: () => void): void {
    try {
      answer();
    } catch (error) {
      this.#log.debug({ err: error, subject: this.#subject }, "could not answer for an event");
    }
  }
}

function idOf(message: JsMsg): string {
  return message.headers?.get(eventIdHeader) || `seq-${message.seq}`;
}
