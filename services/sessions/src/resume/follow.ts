import { setTimeout } from "node:timers/promises";
import type { StreamEvent } from "@muster/proto/sessions";
import type { SessionsContext } from "../context.ts";
import type { EventLog } from "../driver/stream/event-log.ts";
import { unavailable } from "../refusals/unavailable.ts";
import type { EventsDocument, RunKey } from "../store/events-document.ts";
import { type FoundRun, interrupted, lastPolls, runningOf } from "./find-run.ts";

type Events = AsyncGenerator<StreamEvent[], void, undefined>;

/** The events of a run after the given one, to its end. Ends early once the signal is aborted. */
export function follow(
  context: SessionsContext,
  found: FoundRun,
  after: number,
  signal: AbortSignal,
): Events {
  return "log" in found
    ? followLog(context, found.log, after, signal)
    : followStore(context, found, after, signal);
}

/** A run of this instance. Events that have left the memory are read from the store. */
async function* followLog(
  { eventStore }: SessionsContext,
  log: EventLog,
  after: number,
  signal: AbortSignal,
): Events {
  let last = after;
  while (!signal.aborted) {
    let events = log.after(last);
    if (events === undefined) {
      const document = await eventStore.around(log.key, last + 1);
      events = document === null ? [] : eventsAfter(document, last);
      if (events.length === 0) throw interrupted();
    }
    if (events.length > 0) yield events;
    else if (log.isEnded) return;
    else await log.whenMore(signal);
    last = events.at(-1)?.sequence ?? last;
  }
}

/** A run of another instance, or one that has ended. */
async function* followStore(
  context: SessionsContext,
  { run, isInterrupted }: Extract<FoundRun, { run: RunKey }>,
  after: number,
  signal: AbortSignal,
): Events {
  const { eventStore, timings } = context;
  let last = after;
  let pollsLeft = isInterrupted ? 0 : lastPolls;
  while (!signal.aborted) {
    const document = await eventStore.around(run, last + 1);
    const events = document === null ? [] : eventsAfter(document, last);
    if (events.length > 0) yield events;
    last = events.at(-1)?.sequence ?? last;
    if (document?.isLast) return;
    if (events.length > 0) continue;
    if (context.isDraining()) throw unavailable("The service is stopping.");
    pollsLeft = (await isRunning(context, run)) ? lastPolls : pollsLeft - 1;
    if (pollsLeft < 0) throw interrupted();
    await setTimeout(timings.pollEventsEveryMs, undefined, { signal }).catch(() => undefined);
  }
}

async function isRunning(context: SessionsContext, run: RunKey): Promise<boolean> {
  const session = await context.store.find(run);
  return session !== null && runningOf(context, session, run.executionId)?.run === run.run;
}

function eventsAfter({ first, events }: EventsDocument, last: number): StreamEvent[] {
  const lines = events.split("\n").slice(0, -1);
  return lines.slice(Math.max(0, last + 1 - first)).map((line, index) => {
    const space = line.indexOf(" ");
    return {
      $typeName: "muster.sessions.v1.StreamEvent",
      sequence: Math.max(first, last + 1) + index,
      type: line.slice(0, space),
      json: line.slice(space + 1),
    };
  });
}
