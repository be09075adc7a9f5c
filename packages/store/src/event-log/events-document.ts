import type { AnyBulkWriteOperation, CollectionOptions, Db, FindOptions } from "mongodb";
import type { CollectionIndexes } from "../ensure-indexes.ts";
import { isDuplicateKey, unlessDuplicate } from "../errors.ts";
import { inBatches } from "../share-commands.ts";

/** An event without its number: its type, and the event as JSON on one line. */
export interface EventLine {
  type: string;
  json: string;
}

/** The first event of a log is number 1. */
export interface NumberedEvent extends EventLine {
  sequence: number;
}

/**
 * Consecutive events of one log. Its events never change, and the id belongs to the writer that inserts it: so every
 * event has one number, and no two writers have the same.
 */
export interface EventsDocument {
  /** `<log>:<first>`, the number with 10 digits: in the order of events. */
  _id: string;
  projectId: string;
  /** The number of the first event. */
  first: number;
  count: number;
  /**
   * A line for each event: its type, a space, its JSON. Or `+` and a text, if the event differs from the one in the latest other
   * line only in the text with which its JSON ends: many deltas do.
   */
  events: string;
  /** No event follows. Absent: some may. */
  isLast?: boolean;
  /** Tells two writers apart that can use the same number. Absent: a fence keeps the earlier one away. */
  writer?: string;
  /**
   * A fence: another writer has taken the log over here. Its first event has this number; the numbers in between may have
   * been used by events that were sent and never stored. With this document, the previous writer can store no more events.
   */
  next?: number;
}

const digits = 10;

/** A number within an id. Ids of one length sort like their numbers. */
export function padded(value: number): string {
  return String(value).padStart(digits, "0");
}

/** The id of the log's document that begins with the event `first`. */
export function eventsId(log: string, first: number): string {
  return `${log}:${padded(first)}`;
}

/** All ids that continue `<name>:`, such as those of the documents of a log, lie between these two. */
export function idsOf(name: string): { $gte: string; $lt: string } {
  return { $gte: `${name}:`, $lt: `${name};` };
}

/** The number of the last event up to the document's end. */
export function endOf({ first, count, next }: Pick<EventsDocument, "first" | "count" | "next">): number {
  return next === undefined ? first + count - 1 : next - 1;
}

/** The line of an event in a document. */
export function lineOf({ type, json }: EventLine): string {
  return `${type} ${json}\n`;
}

/** The text of a document with these events. */
export function linesOf(events: readonly EventLine[]): string {
  return events.map(lineOf).join("");
}

/** The same, as short as possible. Only for documents that no process of an earlier release reads. */
export function shortLinesOf(events: readonly EventLine[]): string {
  let text = "";
  let whole: EventLine = { type: "", json: "" };
  let start = "";
  for (const event of events) {
    const { type, json } = event;
    const isShort = type === whole.type && json.startsWith(start) && json.endsWith(textEnd);
    if (isShort && json.length >= start.length + textEnd.length) {
      text += `+${json.slice(start.length, -textEnd.length)}\n`;
    } else {
      text += lineOf(event);
      whole = event;
      start = textStart(json);
    }
  }
  return text;
}

/** The opposite of `linesOf` and `shortLinesOf`. */
export function linesIn(text: string): EventLine[] {
  let whole: EventLine = { type: "", json: "" };
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      if (line.startsWith("+"))
        return { type: whole.type, json: textStart(whole.json) + line.slice(1) + textEnd };
      const space = line.indexOf(" ");
      whole = { type: line.slice(0, space), json: line.slice(space + 1) };
      return whole;
    });
}

/** The JSON of an object up to its last text: in a text, every quotation mark has a backslash before it. */
function textStart(json: string): string {
  return json.slice(0, json.lastIndexOf('":"') + 3);
}

const textEnd = '"}';

/** The events of a document with a number above `after`, as messages of a type. */
export function eventsAfter<TypeName extends string>(
  $typeName: TypeName,
  { first, events }: Pick<EventsDocument, "first" | "events">,
  after: number,
): Array<NumberedEvent & { $typeName: TypeName }> {
  const skipped = Math.max(0, after + 1 - first);
  const lines = linesIn(events).slice(skipped);
  return lines.map(({ type, json }, index) => ({ $typeName, sequence: first + skipped + index, type, json }));
}

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
  const { add: keep } = inBatches((times: Array<AnyBulkWriteOperation<EventsDocument>>) =>
    events.bulkWrite(times, { ordered: false }),
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
    keepUntil: (projectId: string, log: string, time: Date, beside?: string): Promise<void> => {
      const ids = { ...idsOf(log), ...(beside !== undefined && { $ne: beside }) };
      const filter = { _id: ids, projectId, ...(unless !== undefined && { [unless]: { $exists: false } }) };
      return keep({ updateMany: { filter, update: { $set: { [until]: time } } } });
    },
  };
}
