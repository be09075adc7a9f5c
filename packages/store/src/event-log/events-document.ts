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
  /** A line for each event: its type, a space, its JSON. */
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

/** The opposite of `linesOf`. */
export function linesIn(text: string): EventLine[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => {
    const space = line.indexOf(" ");
    return { type: line.slice(0, space), json: line.slice(space + 1) };
  });
}

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
