import type { Logger } from "@muster/service";
import { ErrorCode, type JetStreamClient, type JetStreamManager, type NatsConnection, NatsError } from "nats";
import {
  type Bus,
  checkConsumerName,
  type EventHandler,
  type PublishOptions,
  type SubscribeOptions,
  type Subscription,
} from "../bus.ts";
import { createRebuildCallbacks } from "../rebuild-callbacks.ts";
import { type EventMap, readEvent, type Subject } from "../subjects.ts";
import { Deliveries } from "./deliveries.ts";
import type { Names } from "./names.ts";
import { Reader } from "./reader.ts";
import { ensureStream } from "./stream.ts";

interface NatsBusParts {
  connection: NatsConnection;
  jsm: JetStreamManager;
  names: Names;
  log: Logger;
  /** Unique per process. */
  instance: string;
  redeliverAfterMs: number;
}

interface Open {
  reader: Reader;
  subscription: Subscription;
}

const publishTimeoutMs = 2_000;
const courtesyMs = 1_000;

export class NatsBus implements Bus {
  readonly #parts: NatsBusParts;
  readonly #js: JetStreamClient;
  readonly #open = new Set<Open>();
  readonly #rebuildCallbacks: ReturnType<typeof createRebuildCallbacks>;
  #subscriptions = 0;
  #closing: Promise<void> | undefined;

  constructor(parts: NatsBusParts) {
    this.#parts = parts;
    this.#js = parts.connection.jetstream({ timeout: publishTimeoutMs });
    this.#rebuildCallbacks = createRebuildCallbacks(parts.log);
  }

  get closing(): boolean {
    return this.#closing !== undefined;
  }

  async publish<S extends Subject>(subject: S, event: EventMap[S], { id }: PublishOptions): Promise<void> {
    this.#assertOpen();
    const payload = JSON.stringify(readEvent(subject, event));
    try {
      await this.#send(subject, payload, id);
    } catch (error) {
      // No subscriber means that the stream is gone.
      if (!(error instanceof NatsError) || error.code !== ErrorCode.NoResponders) throw error;
      await ensureStream(this.#parts.jsm, this.#parts.names);
      await this.#send(subject, payload, id);
    }
  }

  async subscribe<S extends Subject>(
    subject: S,
    options: SubscribeOptions,
    handler: EventHandler<S>,
  ): Promise<Subscription> {
    this.#assertOpen();
    const { jsm, names, log, redeliverAfterMs } = this.#parts;
    const { consumer, own } = this.#consumerOf(subject, options);
    const deliveries = new Deliveries({ subject, handler, log, redeliverAfterMs, own });
    const reader = new Reader({
      jsm,
      js: this.#js,
      names,
      subject,
      consumer,
      own,
      redeliverAfterMs,
      deliveries,
      log,
      onGap: () => this.#rebuildCallbacks.callAll(),
    });
    try {
      await reader.start();
    } catch (error) {
      await Promise.all([reader.close(), deliveries.stop()]);
      throw error;
    }
    return this.#track(reader, deliveries);
  }

  onRebuild(callback: () => void): () => void {
    return this.#rebuildCallbacks.add(callback);
  }

  async ping(): Promise<void> {
    this.#assertOpen();
    await this.#parts.connection.flush();
  }

  /** After a reconnect, rebuilds every subscription before it calls the rebuild callbacks. */
  async rebuild(): Promise<void> {
    await Promise.all([...this.#open].map(({ reader }) => reader.rebuild()));
    if (!this.closing) this.#rebuildCallbacks.callAll();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #send(subject: Subject, payload: string, id: string): Promise<void> {
    // Retries only "no responders": JetStream takes a moment longer to start than its server.
    const options = { msgID: id, timeout: publishTimeoutMs, retries: 4, retry_delay: 250 };
    await this.#js.publish(this.#parts.names.subject(subject), payload, options);
  }

  #consumerOf(subject: Subject, options: SubscribeOptions): { consumer: string; own: boolean } {
    const { names, instance } = this.#parts;
    if ("broadcast" in options) {
      this.#subscriptions++;
      return { consumer: names.ownConsumer(subject, `${instance}-${this.#subscriptions}`), own: true };
    }
    checkConsumerName(options.consumer);
    return { consumer: names.sharedConsumer(subject, options.consumer), own: false };
  }

  #track(reader: Reader, deliveries: { stop(): Promise<void> }): Subscription {
    let ending: Promise<void> | undefined;
    const end = async () => {
      this.#open.delete(open);
      await reader.close();
      await deliveries.stop();
      if (!this.#parts.connection.isClosed()) await soon(reader.forget());
    };
    const subscription: Subscription = {
      close: () => {
        ending ??= end();
        return ending;
      },
    };
    const open = { reader, subscription };
    this.#open.add(open);
    return subscription;
  }

  async #close(): Promise<void> {
    const { connection } = this.#parts;
    await Promise.all([...this.#open].map(({ subscription }) => subscription.close()));
    // Sends the last acknowledgements.
    if (!connection.isClosed()) await soon(connection.flush().catch(() => undefined));
    await connection.close();
  }

  #assertOpen(): void {
    if (this.closing) throw new Error("The event bus is closed");
  }
}

/** Waits briefly for optional clean-up on the server, which may be unreachable. */
async function soon(courtesy: Promise<void>): Promise<void> {
  const { promise: tooLong, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, courtesyMs);
  await Promise.race([courtesy, tooLong]);
  clearTimeout(timer);
}
