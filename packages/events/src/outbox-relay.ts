import { setTimeout as delay } from "node:timers/promises";
import { type Clock, type Logger, systemClock, timeOfId } from "@muster/service";
import type { CreateIndexesOptions, IndexSpecification } from "mongodb";
import type { Bus } from "./bus.ts";
import { redeliveryDelayMs } from "./redelivery-delay-ms.ts";
import { EventFormatError, type EventMap, isSubject, type Subject } from "./subjects.ts";

/** An event that a document carries until the bus has it, added in the same write as the change. */
export type OutboxEntry = {
  [S in Subject]: {
    /** Identifies the event; publishing it twice under one id is harmless. */
    id: string;
    subject: S;
    event: EventMap[S];
  };
}[Subject];

export interface OutboxDocument {
  _id: string;
  outbox: OutboxEntry[];
}

/** A document with events of any kind. */
interface AnyDocument {
  _id: string;
  /** Absent: there were none. */
  outbox?: Array<{ id: string }>;
  /** How many have left the outbox, of a document that counts them. */
  published?: number;
}

type EntryOf<Found extends AnyDocument> = NonNullable<Found["outbox"]>[number];

/** The driver's collection methods that the relay uses, for documents of any shape. */
export interface OutboxCollection<Found extends AnyDocument = OutboxDocument> {
  createIndex(keys: IndexSpecification, options: CreateIndexesOptions): Promise<string>;
  find(filter: typeof waiting, options: { projection: Record<string, 1> }): AsyncIterable<Found>;
  updateOne(
    filter: { _id: string; "outbox.id": string },
    update: { $pull: { outbox: { id: string } }; $inc?: { published: 1 } },
    options: typeof removal,
  ): Promise<unknown>;
}

export type OutboxRelay = ReturnType<typeof createOutboxRelay>;

export interface OutboxRelayOptions<Found extends AnyDocument> {
  collection: OutboxCollection<Found>;
  /**
   * Publishes one of a document's events, at least once; `number`: its place among all of the document, from 1, if they are
   * counted. False: it stays there without delaying the others. Throws if it has to be tried again.
   */
  publish: (entry: EntryOf<Found>, document: Found, number: number) => Promise<boolean>;
  /** The further fields of documents that `publish` reads. */
  fields?: readonly string[];
  /** Whether documents count their events. Default: false. */
  counts?: boolean;
  /** How many documents are relayed at once. Default: 1. */
  concurrency?: number;
  log: Logger;
  clock?: Clock;
  /** Ends the relay like `stop`, without waiting. */
  signal?: AbortSignal;
  /** How often to check for events whose writer died before waking the relay. Default 5,000. */
  sweepEveryMs?: number;
}

// So that a store with a full disk executes it: otherwise, only the first event could be published.
const removal = { comment: "deletion" } as const;

// Only documents that carry an event are indexed, so checking costs nothing if there are none.
const waiting = { "outbox.id": { $exists: true } };

/**
 * Publishes the events in documents' outboxes, then removes them. An event is published at least once; the events
 * of one document in order. Several instances may relay one collection: at worst they repeat each other's work.
 */
export function createOutboxRelay<Found extends AnyDocument>(options: OutboxRelayOptions<Found>) {
  const { collection, log, sweepEveryMs = 5_000 } = options;
  const sweeper = new Sweeper(options);
  const ending = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, ending.signal]) : ending.signal;
  let bell = Promise.withResolvers<void>();
  let running: Promise<void> | undefined;

  const run = async () => {
    for (let failures = 0; !signal.aborted; ) {
      bell = Promise.withResolvers<void>();
      const ok = await sweeper.sweep(signal);
      failures = ok ? 0 : failures + 1;
      if (ok) await Promise.race([bell.promise, pause(sweepEveryMs, signal)]);
      else await pause(Math.min(sweepEveryMs, redeliveryDelayMs(failures)), signal);
    }
  };

  return {
    /** Call after a write that added an event: it is published now instead of with the next sweep. Never throws. */
    wake: () => bell.resolve(),
    /** Creates the index that finds waiting events, and starts with events left by an earlier process. */
    start: async () => {
      await collection.createIndex({ "outbox.id": 1 }, { name: "outbox", partialFilterExpression: waiting });
      running ??= run().catch((error: unknown) => log.error({ err: error }, "the outbox relay ended"));
    },
    /** Waits for the publish in progress. Remaining events are published after the next start or by another instance. */
    stop: async () => {
      ending.abort();
      await running;
    },
  };
}

class Sweeper<Found extends AnyDocument> {
  readonly #options: OutboxRelayOptions<Found>;
  readonly #clock: Clock;
  #failingSinceMs: number | undefined;

  constructor(options: OutboxRelayOptions<Found>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Returns true if nothing publishable is left. Never throws. */
  async sweep(signal: AbortSignal): Promise<boolean> {
    const { collection, fields = [], concurrency = 1 } = this.#options;
    const projection: Record<string, 1> = { outbox: 1, published: 1 };
    for (const field of fields) projection[field] = 1;
    const found = collection.find(waiting, { projection })[Symbol.asyncIterator]();
    try {
      const relayNext = async () => {
        for (;;) {
          const { done, value } = await found.next();
          if (done || signal.aborted) return;
          await this.#relay(value);
        }
      };
      // All end before the next sweep, and before the relay has stopped.
      const ended = await Promise.allSettled(Array.from({ length: concurrency }, relayNext));
      const failed = ended.find((end) => end.status === "rejected");
      if (failed) throw failed.reason;
      this.#noteSuccess();
      return true;
    } catch (error) {
      this.#noteFailure(error);
      return false;
    } finally {
      // Closes the cursor. If the store is gone, so is the cursor, and the failure above says why.
      await found.return?.().catch(() => undefined);
    }
  }

  async #relay(document: Found): Promise<void> {
    const { collection, publish, counts } = this.#options;
    const { _id, published = 0 } = document;
    const outbox: Array<EntryOf<Found>> = document.outbox ?? [];
    for (const [index, entry] of outbox.entries()) {
      if (!(await publish(entry, document, published + index + 1))) continue;
      await collection.updateOne(
        { _id, "outbox.id": entry.id },
        { $pull: { outbox: { id: entry.id } }, ...(counts && { $inc: { published: 1 } }) },
        removal,
      );
    }
  }

  #noteFailure(error: unknown): void {
    if (this.#failingSinceMs === undefined) {
      this.#options.log.warn({ err: error }, "events cannot be published and wait in the outbox");
    }
    this.#failingSinceMs ??= this.#clock.monotonicMs();
  }

  #noteSuccess(): void {
    if (this.#failingSinceMs === undefined) return;
    const afterMs = this.#clock.monotonicMs() - this.#failingSinceMs;
    this.#options.log.info({ afterMs }, "the waiting events in the outbox have been published");
    this.#failingSinceMs = undefined;
  }
}

/** Publishes entries of outboxes on the bus. */
export function publishTo(bus: Pick<Bus, "publish">, log: Logger) {
  const left = new Set<string>();
  /** It must not block the others indefinitely. */
  const leave = (note: () => void, key: string): false => {
    if (!left.has(key)) note();
    left.add(key);
    return false;
  };
  return async (entry: OutboxEntry): Promise<boolean> => {
    const { id: eventId, subject } = entry;
    // A newer version may have added subjects that this one does not know: its own relay publishes them.
    if (!isSubject(subject)) {
      const note = () => log.warn({ subject, eventId }, "left an event of an unknown subject in the outbox");
      return leave(note, subject);
    }
    try {
      await publish(bus, entry);
      return true;
    } catch (error) {
      if (!(error instanceof EventFormatError)) throw error;
      const note = () =>
        log.error({ err: error, subject, eventId }, "left an unreadable event in the outbox");
      return leave(note, eventId);
    }
  };
}

// One call per entry, so that subject and event stay paired in the type.
function publish<S extends Subject>(
  bus: Pick<Bus, "publish">,
  { id, subject, event }: { id: string; subject: S; event: EventMap[S] },
): Promise<void> {
  return bus.publish(subject, event, { id });
}

/** Resolves after the delay or on abort, whichever comes first. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

/** The query of the driver's collection that finds the oldest event. */
interface OldestEvents {
  find(
    filter: { "outbox.id": { $exists: true } },
    options: { projection: { outbox: 1 }; sort: { "outbox.id": 1 }; limit: 1 },
  ): { toArray(): Promise<AnyDocument[]> };
}

/**
 * How long the oldest event of an outbox has waited to be published, in seconds; 0 if none waits. One read of the index that
 * the relay creates: the ids of events begin with the time at which they were written.
 */
export async function outboxAgeS(collection: OldestEvents, clock: Clock): Promise<number> {
  const options = { projection: { outbox: 1 }, sort: { "outbox.id": 1 }, limit: 1 } as const;
  const [document] = await collection.find({ "outbox.id": { $exists: true } }, options).toArray();
  const times = (document?.outbox ?? []).map(({ id }) => timeOfId(id) ?? clock.now()) ?? [];
  return times.length === 0 ? 0 : Math.max(0, clock.now() - Math.min(...times)) / 1e3;
}
