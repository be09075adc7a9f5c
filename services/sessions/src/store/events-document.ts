/**
 * Consecutive events of one run of an execution, kept so that a reader whose connection broke can continue. A run is
 * the response to one trigger; its events are numbered from 1.
 */
export interface EventsDocument {
  /** `<execution>:<run>:<first>`, numbers with 10 digits: in the order of events. */
  _id: string;
  projectId: string;
  sessionId: string;
  /** The sequence number of its first event. */
  first: number;
  count: number;
  /** A line for each event: its type, a space, its JSON. */
  events: string;
  /** No event follows. */
  isLast: boolean;
  /** Afterwards the run can no longer be read. The last document of a run decides. */
  keptUntil: Date;
  /**
   * Another instance has adopted the run here. Its first event has this number; the numbers in between may have been used
   * by events that were sent and never stored. With this document, the previous holder can store no more events.
   */
  next?: number;
}

/** Events in the session's own document, written with the turn: the collection of events may not have them yet. */
export interface PendingEvents extends Pick<EventsDocument, "first" | "count" | "events" | "isLast"> {
  executionId: string;
  run: number;
  /** The time as in `EventsDocument`. */
  keptUntil: Date;
}

/** One run of an execution. */
export interface RunKey {
  projectId: string;
  sessionId: string;
  executionId: string;
  /** The session's epoch during the run: later runs of an execution have higher numbers. */
  run: number;
}

const digits = 10;

export function eventsId({ executionId, run }: Pick<RunKey, "executionId" | "run">, first: number): string {
  return `${executionId}:${padded(run)}:${padded(first)}`;
}

/** The ids of all documents of an execution lie between these two. */
export function idsOfExecution(executionId: string): { $gte: string; $lt: string } {
  return { $gte: `${executionId}:`, $lt: `${executionId};` };
}

/** The ids of all documents of a run lie between these two. */
export function idsOfRun({ executionId, run }: RunKey): { $gte: string; $lt: string } {
  return { $gte: `${executionId}:${padded(run)}:`, $lt: `${executionId}:${padded(run)};` };
}

/** The number of the last event up to a document. */
export function endOf({ first, count, next }: Pick<EventsDocument, "first" | "count" | "next">): number {
  return next === undefined ? first + count - 1 : next - 1;
}

/** The line as in `events`. */
export function lineOf({ type, json }: { type: string; json: string }): string {
  return `${type} ${json}\n`;
}

export function runOf({ _id }: Pick<EventsDocument, "_id">): number {
  return Number(_id.split(":")[1]);
}

function padded(value: number): string {
  return String(value).padStart(digits, "0");
}
