import { type CollectionIndexes, isDuplicateKey } from "@muster/store";
import type { Collection, Db } from "mongodb";
import { type EventsDocument, eventsId, idsOfExecution, idsOfRun, type RunKey } from "./events-document.ts";
import { trusted } from "./state-text.ts";

const collectionName = "execution_events";

/** The store removes events that are no longer kept. */
export const eventIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [{ name: "kept_until", key: { keptUntil: 1 }, expireAfterSeconds: 0 }],
};

export type EventStore = ReturnType<typeof createEventStore>;

/** The last document of a run, without its events. */
export type LastEvents = Omit<EventsDocument, "events">;

export function createEventStore(db: Db) {
  const events: Collection<EventsDocument> = db.collection(collectionName, trusted);

  return {
    /**
     * Harmless if repeated: a document of an id always has the same events. Returns the ids under which the run was
     * adopted meanwhile: these events are not stored, and no later ones can be.
     */
    insert: async (documents: EventsDocument[]): Promise<ReadonlySet<string>> => {
      try {
        await events.insertMany(documents, { ordered: false });
        return new Set();
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const ids = documents.map(({ _id }) => _id);
        const fences = events
          .find({ _id: { $in: ids }, next: { $exists: true } })
          .project<{ _id: string }>({});
        return new Set(await fences.map(({ _id }) => _id).toArray());
      }
    },

    /** Ends the previous holder's part of a run. False: it has stored more events. */
    fence: async (document: EventsDocument & { next: number }): Promise<boolean> => {
      try {
        await events.insertOne(document);
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return false;
      }
    },

    keepUntil: async (run: RunKey, keptUntil: Date): Promise<void> => {
      await events.updateMany({ _id: idsOfRun(run) }, { $set: { keptUntil } });
    },

    /** The last document of a run. */
    lastOfRun: (run: RunKey): Promise<LastEvents | null> =>
      events.findOne({ _id: idsOfRun(run) }, { sort: { _id: -1 }, projection: { events: 0 } }),

    /** The last document of an execution's latest run. */
    lastOf: (executionId: string): Promise<LastEvents | null> =>
      events.findOne({ _id: idsOfExecution(executionId) }, { sort: { _id: -1 }, projection: { events: 0 } }),

    /** The same as `around`, without the events. */
    placeAround: (run: RunKey, sequence: number): Promise<LastEvents | null> =>
      events.findOne(
        { _id: { $gte: eventsId(run, 0), $lte: eventsId(run, sequence) } },
        { sort: { _id: -1 }, projection: { events: 0 } },
      ),

    /** The document with the event, or the last one before it. */
    around: (run: RunKey, sequence: number): Promise<EventsDocument | null> =>
      events.findOne(
        { _id: { $gte: eventsId(run, 0), $lte: eventsId(run, sequence) } },
        { sort: { _id: -1 } },
      ),
  };
}
