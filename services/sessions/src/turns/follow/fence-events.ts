import { endOf, eventsId, lineOf, linesIn } from "@muster/store/event-log";
import type { SessionsContext } from "../../context.ts";
import { type PendingEvents, type RunKey, runName } from "../../store/turn-events.ts";
import { maxUnstored } from "../stream/turn-log.ts";

/** If this process dies too, the store keeps the events for this long. */
const keepMs = 24 * 3_600_000;

/** Consecutive events of a turn. */
export interface KnownEvents {
  /** The number of the first one. */
  first: number;
  lines: string[];
}

export function pendingLines({ first, events }: Pick<PendingEvents, "first" | "events">): KnownEvents {
  return { first, lines: linesIn(events).map(lineOf) };
}

/**
 * Ends the part of a turn that its dead process has written: from now on, it cannot store more. Stores the events that are
 * known and were not stored yet. Returns the number of the next event, which is larger than that of any event that a
 * reader can have seen. Undefined: the turn has its last event. `handedOver`: the number of the last event, if the process
 * did not die, but stopped.
 */
export async function fenceEvents(
  { eventStore, clock }: Pick<SessionsContext, "eventStore" | "clock">,
  run: RunKey,
  { first, lines }: KnownEvents,
  handedOver?: number,
): Promise<number | undefined> {
  const { projectId, sessionId } = run;
  const name = runName(run);
  while (true) {
    const last = await eventStore.last(projectId, name);
    if (last?.isLast) return undefined;
    const stored = last === null ? 0 : endOf(last);
    const missing = lines.slice(Math.max(0, stored + 1 - first));
    const known = stored + missing.length;
    const isComplete = known === handedOver;
    // That process writes no more: it has stopped, and everything is stored.
    if (isComplete && missing.length === 0) return known + 1;
    const next = known + (isComplete ? 0 : maxUnstored.events) + 1;
    const isFirst = await eventStore.fence({
      _id: eventsId(name, stored + 1),
      ...{ projectId, sessionId, next },
      ...{ first: stored + 1, count: missing.length, events: missing.join(""), isLast: false },
      keptUntil: new Date(clock.now() + keepMs),
    });
    if (isFirst) return next;
  }
}
