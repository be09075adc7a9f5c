import { type EventCollection, type EventsDocument, padded } from "@muster/store/event-log";

/**
 * Consecutive events of one run of an execution, kept so that a reader whose connection broke can continue. A run is
 * the response to one trigger; its events are numbered from 1.
 */
export interface TurnEvents extends EventsDocument {
  /** `<execution>:<run>:<first>`, numbers with 10 digits: in the order of events. */
  _id: string;
  sessionId: string;
  isLast: boolean;
  /** Afterwards the run can no longer be read. The last document of a run decides. */
  keptUntil: Date;
}

export const turnEventCollection: EventCollection = {
  collection: "execution_events",
  until: "keptUntil",
  index: "kept_until",
};

/** Events in the session's own document, written with the turn: the collection of events may not have them yet. */
export interface PendingEvents extends Pick<TurnEvents, "first" | "count" | "events" | "isLast"> {
  executionId: string;
  run: number;
  /** The time as in `TurnEvents`. */
  keptUntil: Date;
}

/** The events that the session's document has. */
export interface EventsOfTurns<P = PendingEvents> {
  /** The events of the latest turn. */
  pendingEvents?: P;
  /** All of each of some turns before it, oldest first. */
  earlierEvents?: P[];
}

export function eventsOfTurns<P>({ pendingEvents, earlierEvents = [] }: EventsOfTurns<P>): P[] {
  return pendingEvents === undefined ? earlierEvents : [...earlierEvents, pendingEvents];
}

/** One run of an execution. */
export interface RunKey {
  projectId: string;
  sessionId: string;
  executionId: string;
  /** The session's epoch during the run: later runs of an execution have higher numbers. */
  run: number;
}

/** The name of a run's log. Those of all runs of an execution begin with `<execution>:`. */
export function runName({ executionId, run }: Pick<RunKey, "executionId" | "run">): string {
  return `${executionId}:${padded(run)}`;
}

export function runOf({ _id }: Pick<TurnEvents, "_id">): number {
  return Number(_id.split(":")[1]);
}
