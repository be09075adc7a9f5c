import type { EventMap, Subject } from "./subjects.ts";

/**
 * Tells other parts of the product that something changed. The store is the truth: events only wake, so handlers
 * must do no harm when an event comes twice, late, or after the state it speaks of has moved on.
 */
export interface Bus {
  /**
   * Resolves when the bus has the event durably; rejects within a few seconds when it cannot take it, and may have
   * taken it nevertheless: publish again with the same id. An event that must not be lost goes through an outbox.
   */
  publish<S extends Subject>(subject: S, event: EventMap[S], options: PublishOptions): Promise<void>;
  /**
   * Resolves when events published from now on will arrive. They arrive one at a time in the order of publication;
   * one whose handler throws comes again, after others, with growing delays until the handler succeeds.
   */
  subscribe<S extends Subject>(
    subject: S,
    options: SubscribeOptions,
    handler: EventHandler<S>,
  ): Promise<Subscription>;
  /**
   * Calls back when events may have been missed (after a reconnect, when subscriptions work again): look in the
   * store. Not called for the first connection. Returns a function that ends it.
   */
  onRebuild(callback: () => void): () => void;
  /** Ends all subscriptions, waits for handlers that run, disconnects. Safe to call twice. */
  close(): Promise<void>;
}

export interface PublishOptions {
  /** Names the event for its whole life, also when it is published or delivered again. */
  id: string;
}

export type SubscribeOptions =
  /**
   * A name shared by the instances that share the work: each event goes to one of them, and to another one when
   * that dies. From the first subscription on, events wait for the name while no instance runs.
   */
  | { consumer: string }
  /** This instance gets every event from now on. */
  | { broadcast: true };

export type EventHandler<S extends Subject> = (event: EventMap[S], meta: EventMeta) => Promise<void>;

export interface EventMeta {
  id: string;
  /** True when this event may have been handed out before. */
  redelivered: boolean;
}

export interface Subscription {
  /** Takes no more events, waits for the handler that runs. Safe to call twice. */
  close(): Promise<void>;
}

/** Consumer names become part of names on the server. */
export function checkConsumerName(name: string): void {
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name)) {
    throw new TypeError(`Consumer names are 1 to 40 lower-case letters, digits and hyphens, not "${name}"`);
  }
}
