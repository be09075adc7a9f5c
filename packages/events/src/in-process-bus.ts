import type { Metrics } from "@muster/metrics";
import type { Logger } from "@muster/service";
import { type Bus, checkConsumerName, type EventHandler, type Subscription } from "./bus.ts";
import { type Delivery, DeliveryQueue } from "./delivery-queue.ts";
import { measureLag } from "./measure-lag.ts";
import { createRebuildCallbacks } from "./rebuild-callbacks.ts";
import { readEvent, type Subject } from "./subjects.ts";
import { watchHandler } from "./watch-handler.ts";

export interface InProcessBusOptions {
  log: Logger;
  /** Absent: nothing is measured. */
  metrics?: Metrics | undefined;
  /** Maximum number of events waiting for one consumer; beyond it they are dropped and a rebuild is requested. Default 10,000. */
  capacity?: number;
}

/**
 * The bus of a single-process installation. It has the same contract as NATS while the process lives; waiting
 * events are lost when it ends, which outboxes and the check of the store on start make up for.
 */
export function createInProcessBus({ log, metrics, capacity = 10_000 }: InProcessBusOptions): Bus {
  const rebuild = createRebuildCallbacks(log);
  const queues = new Map<Subject, Set<DeliveryQueue>>();
  const consumers = new Map<string, DeliveryQueue>();
  const subscriptions = new Set<Subscription>();
  let closed = false;

  const assertOpen = () => {
    if (closed) throw new Error("The event bus is closed");
  };

  const createQueue = (subject: Subject): DeliveryQueue => {
    const queue = new DeliveryQueue({
      capacity,
      onFailure: ({ id, attempts }, error) =>
        log.warn(
          { err: error, subject, eventId: id, attempts },
          "an event handler failed; it will be tried again",
        ),
      onOverflow: (lost) => {
        log.error({ subject, lost }, "too many events were waiting for a consumer and were dropped");
        rebuild.callAll();
      },
    });
    const ofSubject = queues.get(subject) ?? new Set();
    queues.set(subject, ofSubject.add(queue));
    return queue;
  };

  const consumerQueue = (subject: Subject, consumer: string): DeliveryQueue => {
    checkConsumerName(consumer);
    const key = `${subject} ${consumer}`;
    const queue = consumers.get(key) ?? createQueue(subject);
    consumers.set(key, queue);
    return queue;
  };

  const track = (end: () => Promise<void>): Subscription => {
    const subscription = {
      close: () => {
        subscriptions.delete(subscription);
        return end();
      },
    };
    subscriptions.add(subscription);
    return subscription;
  };

  const bus: Bus = {
    publish: async (subject, event, { id }) => {
      assertOpen();
      // Copied, so that later changes to the publisher's object do not change the event.
      const copy = readEvent(subject, event);
      const publishedAtMs = Date.now();
      for (const queue of queues.get(subject) ?? [])
        queue.push({ id, event: copy, publishedAtMs, attempts: 0 });
    },
    subscribe: async (subject, options, handler) => {
      assertOpen();
      if ("consumer" in options) {
        return track(consumerQueue(subject, options.consumer).addWorker(workOf(subject, handler, log)));
      }
      const queue = createQueue(subject);
      const endWorker = queue.addWorker(workOf(subject, handler, log));
      return track(() => {
        queues.get(subject)?.delete(queue);
        queue.close();
        return endWorker();
      });
    },
    onRebuild: rebuild.add,
    ping: async () => assertOpen(),
    close: async () => {
      closed = true;
      await Promise.all([...subscriptions].map((subscription) => subscription.close()));
      for (const queue of consumers.values()) queue.close();
    },
  };
  return measureLag(bus, metrics);
}

function workOf<S extends Subject>(subject: S, handler: EventHandler<S>, log: Logger) {
  return ({ id, event, publishedAtMs, attempts }: Delivery) => {
    const running = handler(readEvent(subject, event), { id, redelivered: attempts > 1, publishedAtMs });
    return watchHandler(running, log, { subject, eventId: id });
  };
}
