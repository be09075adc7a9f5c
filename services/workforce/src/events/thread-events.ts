import type { EventCollection, EventsDocument } from "@muster/store/event-log";
import type { RecordedPart } from "./state-after.ts";

/** Consecutive events of a thread. The events of a thread are numbered from 1, through all of its runs. */
export interface ThreadEvents extends EventsDocument {
  /** `<thread>:<first>` */
  _id: string;
  threadId: string;
  /** Differs for each holder. */
  writer: string;
  /** The epoch of the agent's slot when they were written. A holder with a lower one must write no more. */
  epoch: number;
  /** The latest status in the events up to here. */
  status: string;
  /** How far the events up to here relay the calls to the session. */
  cursor: RelayCursor | null;
  /** Afterwards they can no longer be read. Null for the end of a run, which the numbers of the next run follow. */
  expiresAt: Date | null;
  /** Absent: the run is not recorded. Otherwise the document stays until the recording no longer needs it. */
  recorded?: RecordedPart;
}

export const threadEventCollection: EventCollection = {
  collection: "thread_events",
  until: "expiresAt",
  index: "expires_at",
  unless: "recorded",
  large: ["recorded.lines", "recorded.times"],
};

/** A place in the events of one call to the session. */
export interface RelayCursor {
  requestId: string;
  /** The number of the event within the call. */
  sequence: number;
}

/** The timeline of a recorded document, a line for each event. */
export function timelineOf({ events, recorded }: Pick<ThreadEvents, "events" | "recorded">): string {
  return recorded?.lines ?? events;
}
