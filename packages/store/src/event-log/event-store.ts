import type { CollectionOptions, Db, FindOptions } from "mongodb";
import type { CollectionIndexes } from "../ensure-indexes.ts";
import { isDuplicateKey, unlessDuplicate } from "../errors.ts";
import { type EventsDocument, eventsId, idsOf } from "./events-document.ts";

/** Where the documents of logs are, and how long. */
export interface EventCollection {
  /** The collection's name. */
  collection: string;
  /** The field with the time after which a document is no longer needed. */
  until: string;
  /** The name of the index of that field. */
  index: string;
  /** Documents with this field are kept without regard to the time that is set for their log. */
  unless?: string;
  /** Fields that can be large, besides `events`. */
  large?: readonly string[];
  /** For the driver. */
  settings?: CollectionOptions;
}

/** The store removes documents that are no longer needed. */
export function eventIndexes({ collection, until, index }: EventCollection): CollectionIndexes {
  return { collection, indexes: [{ name: index, key: { [until]: 1 }, expireAfterSeconds: 0 }] };
}

/** See `createEventStore`. */
export type EventStore<D extends EventsDocument> = ReturnType<typeof createEventStore<D>>;

/** The queries of logs of events. They need no index but the one of `_id`. `log`: its name in the ids. */
export function createEventStore<D extends EventsDocument>(
  db: Db,
  { collection, until, unless, large = [], settings }: EventCollection,
) {
  const events = db.collection<EventsDocument>(collection, settings);
  const projection = Object.fromEntries(["events", ...large].map((field) => [field, 0]));
  const lastUpTo = (projectId: string, log: string, sequence: number, options: FindOptions = {}) =>
    events.findOne<D>(
      { _id: { $gte: eventsId(log, 0), $lte: eventsId(log, sequence) }, projectId },
      { sort: { _id: -1 }, ...options },
    );
  return {
    /** Harmless if repeated. Returns the ids that another writer has; all other documents are stored. */
    insert: async (documents: D[]): Promise<ReadonlySet<string>> => {
      try {
        await events.insertMany(documents, { ordered: false });
        return new Set();
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const mine = new Map(documents.map(({ _id, writer }) => [_id, writer]));
        const stored = events.find(
          { _id: { $in: [...mine.keys()] } },
          { projection: { next: 1, writer: 1 } },
        );
        const foreign = (await stored.toArray()).filter(
          ({ _id, writer, next }) => next !== undefined || writer !== mine.get(_id),
        );
        return new Set(foreign.map(({ _id }) => _id));
      }
    },

    /** Stores a fence. False: its id exists, so the previous writer has stored more events. */
    fence: (document: D & { next: number }): Promise<boolean> => unlessDuplicate(events.insertOne(document)),

    /** The last document of a log, without `events` and other large fields. */
    last: (projectId: string, log: string): Promise<Omit<D, "events"> | null> =>
      events.findOne<D>({ _id: idsOf(log), projectId }, { sort: { _id: -1 }, projection }),

    /** The document with the event, or the last one before it. */
    around: (projectId: string, log: string, sequence: number): Promise<D | null> =>
      lastUpTo(projectId, log, sequence),

    /** The same, without `events` and other large fields. */
    placeAround: (projectId: string, log: string, sequence: number): Promise<Omit<D, "events"> | null> =>
      lastUpTo(projectId, log, sequence, { projection }),

    /** Sets the time of all documents of a log. `beside`: the document that stays unchanged. */
    keepUntil: async (projectId: string, log: string, time: Date, beside?: string): Promise<void> => {
      const ids = { ...idsOf(log), ...(beside !== undefined && { $ne: beside }) };
      const filter = { _id: ids, projectId, ...(unless !== undefined && { [unless]: { $exists: false } }) };
      await events.updateMany(filter, { $set: { [until]: time } });
    },
  };
}
