import type { ThreadEvent } from "@muster/proto/workforce";
import type { RecordedPart } from "./recorded-part.ts";

/** Consecutive events of a thread. The events of a thread are numbered from 1, through all of its runs. */
export interface ThreadEventsDocument {
  /** `<thread>:<first>`, the number with 10 digits: in the order of events. The writer that inserts it has the numbers. */
  _id: string;
  projectId: string;
  threadId: string;
  /** Differs for each attempt, so that a writer recognises its own document after a doubtful failure. */
  writer: string;
  /** The epoch of the agent's slot when they were written. A holder with a lower one must write no more. */
  epoch: number;
  /** The number of the first event. */
  first: number;
  /** At least 1. */
  count: number;
  /** A line for each event: its type, a space, its JSON. */
  events: string;
  /** The latest status in the events up to here. */
  status: string;
  /** How far the events up to here relay the calls to the session. */
  cursor: RelayCursor | null;
  /** Afterwards they can no longer be read. Null for the end of a run, which the numbers of the next run follow. */
  expiresAt: Date | null;
  /** Absent: the run is not recorded. Otherwise the document stays until the recording no longer needs it. */
  recorded?: RecordedPart;
}

/** A place in the events of one call to the session. */
export interface RelayCursor {
  requestId: string;
  /** The number of the event within the call. */
  sequence: number;
}

/** An event without its number. */
export interface EventLine {
  type: string;
  json: string;
}

/** Where a thread's events end. */
export type LastEvents = Omit<ThreadEventsDocument, "events">;

/** The timeline of a recorded document, a line for each event. */
export function timelineOf({ events, recorded }: Pick<ThreadEventsDocument, "events" | "recorded">): string {
  return recorded?.lines ?? events;
}

const digits = 10;

export function eventsId(threadId: string, first: number): string {
  return `${threadId}:${String(first).padStart(digits, "0")}`;
}

/** The ids of all documents of a thread lie between these two. */
export function idsOfThread(threadId: string): { $gte: string; $lt: string } {
  return { $gte: `${threadId}:`, $lt: `${threadId};` };
}

/** The number of the document's last event. */
export function endOf({ first, count }: Pick<ThreadEventsDocument, "first" | "count">): number {
  return first + count - 1;
}

export function lineOf({ type, json }: EventLine): string {
  return `${type} ${json}\n`;
}

/** The events of a document with a number above `after`. */
export function eventsAfter(
  { first, events }: Pick<ThreadEventsDocument, "first" | "events">,
  after: number,
): ThreadEvent[] {
  const skipped = Math.max(0, after + 1 - first);
  return linesIn(events)
    .slice(skipped)
    .map((line, index) => ({
      $typeName: "muster.workforce.v1.ThreadEvent",
      sequence: first + skipped + index,
      ...line,
    }));
}

/** The opposite of joined `lineOf`. */
export function linesIn(text: string): EventLine[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => {
    const space = line.indexOf(" ");
    return { type: line.slice(0, space), json: line.slice(space + 1) };
  });
}
