import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "@muster/service";
import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerInfo,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  nanos,
} from "nats";
import { redeliveryDelayMs } from "../redelivery-delay-ms.ts";
import type { Subject } from "../subjects.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Names } from "./names.ts";
import { apiErrors, ensureStream, isApiError } from "./stream.ts";

export interface ReaderOptions {
  jsm: JetStreamManager;
  js: JetStreamClient;
  names: Names;
  subject: Subject;
  /** The consumer's name on the server. */
  consumer: string;
  /** The consumer belongs to this instance only: deleted on close, or by the server once the instance is gone. */
  own: boolean;
  /** The server redelivers an event if it is not acknowledged for this long. */
  redeliverAfterMs: number;
  deliveries: Pick<Deliveries<Subject>, "receive" | "progress">;
  log: Logger;
  /** Called after the server lost the consumer and it was recreated: events may have been missed. */
  onGap(): void;
}

const forgottenAfterMs = 5 * 60_000;
const ownBatch = 64;

/**
 * Keeps one consumer on the server and pulls from it. If the connection, the consumer or the stream is lost,
 * `rebuild` restores it: the client's own recovery can miss events until another one is published.
 */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #ending = new AbortController();
  #messages: ConsumerMessages | undefined;
  #rebuilding: Promise<void> | undefined;
  #rebuildAgain = false;
  #streamCreated: string | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Rejects if the server refuses the subscription. */
  async start(): Promise<void> {
    await this.#noteStream();
    const info = await this.#findConsumer();
    await this.#pull(info ?? (await this.#createConsumer({ deliver_policy: DeliverPolicy.New })));
  }

  /** Restarts on the current connection, retrying until it succeeds or the reader is closed. */
  rebuild(): Promise<void> {
    this.#rebuildAgain = true;
    this.#rebuilding ??= this.#rebuildUntilDone().finally(() => {
      this.#rebuilding = undefined;
    });
    return this.#rebuilding;
  }

  /** Stops pulling. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#rebuilding;
    this.#letGo();
  }

  /** Deletes an instance's own consumer from the server, which would otherwise do so after some minutes. */
  async forget(): Promise<void> {
    const { jsm, names, consumer, own, log } = this.#options;
    if (!own) return;
    await jsm.consumers.delete(names.stream, consumer).catch((error: unknown) => {
      log.debug({ err: error, consumer }, "could not delete the consumer; the server will expire it");
    });
  }

  async #rebuildUntilDone(): Promise<void> {
    for (let attempt = 1; this.#rebuildAgain && !this.#ending.signal.aborted; attempt++) {
      this.#rebuildAgain = false;
      this.#letGo();
      try {
        await this.#resume();
      } catch (error) {
        if (attempt === 1) this.#warn(error);
        this.#rebuildAgain = true;
        await delay(Math.min(2_000, redeliveryDelayMs(attempt)), undefined, {
          signal: this.#ending.signal,
        }).catch(() => undefined);
      }
    }
  }

  async #resume(): Promise<void> {
    const { jsm, names, consumer, own, deliveries, onGap } = this.#options;
    await ensureStream(jsm, names);
    await this.#noteStream();
    const info = await this.#findConsumer();
    if (info !== null && !own) return this.#pull(info);
    // Events sent into the dead connection would be redelivered only after their acknowledgement times out.
    if (info !== null) await jsm.consumers.delete(names.stream, consumer);
    const start = { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: deliveries.progress.next };
    await this.#pull(await this.#createConsumer(start));
    if (info === null) onGap();
  }

  /** A server that lost its data gets a new stream, which counts from 1. */
  async #noteStream(): Promise<void> {
    const { jsm, names, deliveries } = this.#options;
    const { created } = await jsm.streams.info(names.stream);
    if (this.#streamCreated !== undefined && created !== this.#streamCreated) deliveries.progress.restart();
    this.#streamCreated = created;
  }

  async #findConsumer(): Promise<ConsumerInfo | null> {
    const { jsm, names, consumer } = this.#options;
    try {
      return await jsm.consumers.info(names.stream, consumer);
    } catch (error) {
      if (isApiError(error, apiErrors.consumerNotFound)) return null;
      throw error;
    }
  }

  #createConsumer(start: Pick<ConsumerConfig, "deliver_policy" | "opt_start_seq">): Promise<ConsumerInfo> {
    const { jsm, names, subject, consumer, own, redeliverAfterMs } = this.#options;
    return jsm.consumers.add(names.stream, {
      durable_name: consumer,
      filter_subject: names.subject(subject),
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(redeliverAfterMs),
      ...(own ? { inactive_threshold: nanos(forgottenAfterMs) } : {}),
      ...start,
    });
  }

  async #pull(info: ConsumerInfo): Promise<void> {
    const { js, names, consumer, own, deliveries } = this.#options;
    deliveries.progress.startAfter(info.delivered.stream_seq);
    const source = await js.consumers.get(names.stream, consumer);
    const messages = await source.consume({
      max_messages: own ? ownBatch : 1,
      expires: 10_000,
      idle_heartbeat: 4_000,
      abort_on_missing_resource: true,
    });
    this.#messages = messages;
    void this.#read(messages);
  }

  async #read(messages: ConsumerMessages): Promise<void> {
    const { deliveries, own } = this.#options;
    let problem: unknown = "the server ended it";
    try {
      for await (const message of messages) {
        const handled = deliveries.receive(message);
        // The client pulls more only on demand. Other instances can receive events that a shared consumer has not pulled.
        if (!own) await handled;
      }
    } catch (error) {
      problem = error;
    }
    if (this.#messages !== messages) return;
    this.#warn(problem);
    void this.rebuild();
  }

  #letGo(): void {
    const messages = this.#messages;
    this.#messages = undefined;
    messages?.close().catch((error: unknown) => this.#warn(error));
  }

  #warn(error: unknown): void {
    const { log, consumer } = this.#options;
    if (!this.#ending.signal.aborted) log.warn({ err: error, consumer }, "a subscription ended; resuming it");
  }
}
