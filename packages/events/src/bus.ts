import type { Dependency } from "@muster/service";
import type { EventMap, Subject } from "./subjects.ts";

/**
 * Notifies other parts of the product of changes. The store is the truth; events only wake handlers, so they
 * must tolerate events that arrive twice, late, or after the state has changed again.
 */
export interface Bus {
  /**
   * Resolves once the bus has stored the event durably; rejects within a few seconds if it cannot, and may have
   * stored it all the same: publish again with the same id. Use an outbox for events that must not be lost.
   */
  publish<S extends Subject>(subject: S, event: EventMap[S], options: PublishOptions): Promise<void>;
  /**
   * Resolves once newly published events will arrive. They arrive one at a time in order of publication;
   * if a handler throws, its event is redelivered after others, with growing delays, until the handler succeeds.
   */
  subscribe<S extends Subject>(
    subject: S,
    options: SubscribeOptions,
    handler: EventHandler<S>,
  ): Promise<Subscription>;
  /**
   * Calls back if events may have been missed (after a reconnect, once subscriptions work again): check the
   * store. Not called for the first connection. Returns a function that removes the callback.
   */
  onRebuild(callback: () => void): () => void;
  /** Resolves when the server responds; waits while there is none. */
  ping(): Promise<void>;
  /** Ends all subscriptions, waits for running handlers, disconnects. Safe to call twice. */
  close(): Promise<void>;
}

/** The bus as something that a service depends on. */
export function busDependency(bus: Pick<Bus, "ping">): Dependency {
  return { name: "events", check: () => bus.ping() };
}

export interface PublishOptions {
  /** Identifies the event permanently, even if it is published or delivered again. */
  id: string;
}

export type SubscribeOptions =
  /**
   * The name of a group of instances that share the work: each event goes to one of them, and to another if
   * that one dies. After the first subscription, events are kept for the group while no instance runs.
   */
  | { consumer: string }
  /** This instance receives every event from now on. */
  | { broadcast: true };

export type EventHandler<S extends Subject> = (event: EventMap[S], meta: EventMeta) => Promise<void>;

export interface EventMeta {
  id: string;
  /** True if this event may have been delivered before. */
  redelivered: boolean;
  /** When the bus has received it, in milliseconds since 1970 on its publisher's or server's clock. */
  publishedAtMs: number;
}

export interface Subscription {
  /** Stops receiving events and waits for the running handler. Safe to call twice. */
  close(): Promise<void>;
}

/** Consumer names become part of the server's resource names. */
export function checkConsumerName(name: string): void {
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name)) {
    throw new TypeError(
      `A consumer name must be 1 to 40 lower-case letters, digits and hyphens, not "${name}"`,
    );
  }
}
