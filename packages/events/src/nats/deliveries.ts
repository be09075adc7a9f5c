import type { Logger } from "@muster/service";
import type { JsMsg } from "nats";
import type { EventHandler } from "../bus.ts";
import { redeliveryDelayMs } from "../redelivery-delay-ms.ts";
import { type EventMap, readEvent, type Subject } from "../subjects.ts";
import { watchHandler } from "../watch-handler.ts";
import { Progress } from "./progress.ts";

export const eventIdHeader = "Nats-Msg-Id";

const decoder = new TextDecoder("utf-8", { fatal: true });

export interface DeliveriesOptions<S extends Subject> {
  subject: S;
  handler: EventHandler<S>;
  log: Logger;
  redeliverAfterMs: number;
  /** No other instance receives these events: returned events are redelivered here. */
  own: boolean;
}

/**
 * A subscription's received but unfinished events. They outlive connections: acknowledgements use
 * the current connection.
 */
export class Deliveries<S extends Subject> {
  readonly progress = new Progress();
  readonly #options: DeliveriesOptions<S>;
  /** By stream sequence, in order of arrival. A newer delivery of the same event replaces the older. */
  readonly #unfinished = new Map<number, JsMsg>();
  readonly #keepAlive: NodeJS.Timeout;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(options: DeliveriesOptions<S>) {
    this.#options = options;
    // Events at a slow handler, or behind it, must not count as lost.
    this.#keepAlive = setInterval(() => this.#stillWorking(), options.redeliverAfterMs / 3).unref();
  }

  /** Resolves once every received event has been handled. */
  async receive(message: JsMsg): Promise<void> {
    if (this.#stopped) {
      this.#answer(() => message.nak());
    } else if (this.#options.own && this.progress.isDone(message.seq)) {
      // A recreated consumer sent it again.
      this.#answer(() => message.ack());
    } else {
      this.progress.received(message.seq);
      this.#unfinished.set(message.seq, message);
      this.#running ??= this.#run();
      await this.#running;
    }
  }

  /** Returns waiting events to other instances and resolves once the running handler is done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    clearInterval(this.#keepAlive);
    for (const message of this.#unfinished.values()) this.#answer(() => message.nak());
    this.#unfinished.clear();
  }

  async #run(): Promise<void> {
    for (const [sequence, message] of this.#unfinished) {
      if (this.#stopped) break;
      const outcome = await this.#handle(message);
      const latest = this.#unfinished.get(sequence) ?? message;
      this.#unfinished.delete(sequence);
      this.#finish(latest, outcome);
    }
    this.#running = undefined;
  }

  #finish(message: JsMsg, outcome: "done" | "failed" | "unreadable"): void {
    if (outcome === "done") this.#answer(() => message.ack());
    if (outcome === "unreadable") this.#answer(() => message.term("not an event of this subject"));
    if (outcome === "failed") this.#answer(() => message.nak(redeliveryDelayMs(message.info.deliveryCount)));
    if (outcome !== "failed" || !this.#options.own) this.progress.done(message.seq);
  }

  async #handle(message: JsMsg): Promise<"done" | "failed" | "unreadable"> {
    const { subject, handler, log } = this.#options;
    const event = this.#read(message);
    if (event === undefined) return "unreadable";
    const id = idOf(message);
    try {
      const running = handler(event, {
        id,
        redelivered: message.redelivered,
        publishedAtMs: message.info.timestampNanos / 1e6,
      });
      await watchHandler(running, log, { subject, eventId: id });
      return "done";
    } catch (error) {
      const attempts = message.info.deliveryCount;
      log.warn(
        { err: error, subject, eventId: id, attempts },
        "an event handler failed; it will be tried again",
      );
      return "failed";
    }
  }

  #read(message: JsMsg): EventMap[S] | undefined {
    const { subject, log } = this.#options;
    try {
      return readEvent(subject, JSON.parse(decoder.decode(message.data)));
    } catch (error) {
      log.error({ err: error, subject, eventId: idOf(message) }, "dropped an unreadable event");
      return undefined;
    }
  }

  #stillWorking(): void {
    for (const message of this.#unfinished.values()) this.#answer(() => message.working());
  }

  /** If an acknowledgement cannot be sent, the event is redelivered, which handlers must tolerate anyway. */
  #answer(send: () => void): void {
    try {
      send();
    } catch (error) {
      const { subject, log } = this.#options;
      log.debug({ err: error, subject }, "could not acknowledge an event");
    }
  }
}

function idOf(message: JsMsg): string {
  return message.headers?.get(eventIdHeader) || `seq-${message.seq}`;
}
