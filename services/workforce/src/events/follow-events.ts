import type { ThreadEvent } from "@muster/proto/workforce";
import { Reason, rpcError } from "@muster/rpc";
import type { Clock } from "@muster/service";
import { endOf, eventsId, follow, lineOf, type Piece, pieceOf } from "@muster/store/event-log";
import type { StoredWait } from "../store/thread-document.ts";
import type { ThreadEventStore } from "./thread-event-store.ts";
import type { ThreadEvents } from "./thread-events.ts";
import { statusJson } from "./thread-log.ts";
import type { ThreadLogs, ThreadLogTimings } from "./thread-logs.ts";

/** A thread as far as its events are concerned. */
export interface FollowedThread {
  status: string;
  /** The open decisions that it waits for. */
  waitingFor?: StoredWait | undefined;
  isFinal: boolean;
  /** The status is final, and so is the recording of the run, if there is one. */
  isOver: boolean;
  /** When it was over. Null: it is not, or that is unknown. */
  endedAtMs: number | null;
  /** A run has the thread, or has just ended and not released the agent yet: it writes the events. */
  isDriven: boolean;
}

export interface FollowSources {
  store: ThreadEventStore;
  logs: Pick<ThreadLogs, "find">;
  clock: Clock;
  newWriter(): string;
  timings: Pick<ThreadLogTimings, "keepEndedMs" | "keepRunningMs">;
  /** Undefined: it does not exist. */
  findThread(): Promise<FollowedThread | undefined>;
  /** Resolves when the thread may have changed, when the time is up, or when the signal is aborted. */
  whenChanged(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

export interface ThreadPlace {
  projectId: string;
  threadId: string;
  /** The last event that the reader has. 0: none. */
  after: number;
}

export interface FollowedEvents {
  events: ThreadEvent[];
  /** The number of the thread's last event when the reader was accepted. Only at first. */
  lastSequence?: number;
}

/** How often a reader looks by itself: for events of another instance, and for the end on this one. */
const lookEveryMs = { first: 100, last: 1_000 };

/**
 * At first only the number of the last event, once the reader is accepted; then the events of a thread after the given one, or all that are kept; then
 * live, until the thread and its recording are final. Works on every instance.
 * A status that no driver has announced, such as that of a thread that waits, is announced by its first reader.
 */
export async function* followEvents(
  sources: FollowSources,
  place: ThreadPlace,
  signal: AbortSignal,
): AsyncGenerator<FollowedEvents, void, undefined> {
  const { store, logs } = sources;
  const { projectId, threadId, after } = place;
  let waitMs = lookEveryMs.first;
  let polled = after;
  // Accepts the reader: the next event of a thread that waits or runs a command may be far away.
  yield { events: [], lastSequence: await checkStart(sources, place) };
  const read = async (seen: number): Promise<Piece<ThreadEvent>> => {
    if (seen > polled) waitMs = lookEveryMs.first;
    polled = seen;
    const events = logs.find(threadId)?.after(seen);
    if (events !== undefined) return { events, last: events.at(-1)?.sequence ?? seen };
    const next = await store.next(projectId, threadId, seen);
    // This gap cannot be filled: the events before the run were removed. A reader without a cursor begins with the run.
    if (next !== null && next.first > seen + 1 && seen > 0) throw gone();
    return pieceOf("muster.workforce.v1.ThreadEvent", next, seen);
  };
  const wait = async (seen: number): Promise<"ended" | undefined> => {
    // In this order: a run that has begun since has the next number, so that no status can be announced in its place.
    const end = await store.last(projectId, threadId);
    const thread = await sources.findThread();
    if (thread === undefined) return "ended";
    if (end !== null && endOf(end) > seen) return undefined;
    if (end?.status !== thread.status && !thread.isDriven) return await announce(sources, place, end, thread);
    if (end?.status === thread.status && thread.isOver) return "ended";
    waitMs = Math.min(waitMs * 1.5, lookEveryMs.last);
    const log = logs.find(threadId);
    if (log === undefined) await sources.whenChanged(waitMs, signal);
    else await log.whenMore(AbortSignal.any([signal, AbortSignal.timeout(lookEveryMs.last)]));
    return undefined;
  };
  for await (const events of follow({ read, wait }, after, signal)) yield { events };
}

/** The number of the thread's last event. */
async function checkStart(
  sources: FollowSources,
  { projectId, threadId, after }: ThreadPlace,
): Promise<number> {
  const { store, clock, timings } = sources;
  const thread = await sources.findThread();
  if (thread === undefined) throw rpcError(Reason.NOT_FOUND, "The thread does not exist.");
  const { isOver, endedAtMs } = thread;
  if (isOver && endedAtMs !== null && endedAtMs + timings.keepEndedMs <= clock.now()) throw gone();
  const end = await store.last(projectId, threadId);
  const known = end === null ? 0 : endOf(end);
  if (after <= known) return known;
  const message = `must be at most ${known}, the number of the thread's last event`;
  throw rpcError(Reason.INVALID_REQUEST, `The cursor ${message}.`, { issues: [{ path: "after", message }] });
}

/** Fails silently if another writer was faster: the reader then finds that. */
async function announce(
  { store, clock, newWriter, timings }: FollowSources,
  { projectId, threadId }: ThreadPlace,
  end: Omit<ThreadEvents, "events"> | null,
  { status, waitingFor, isFinal }: FollowedThread,
): Promise<undefined> {
  const first = end === null ? 1 : endOf(end) + 1;
  const _id = eventsId(threadId, first);
  const keptUntil = (forMs: number) => new Date(clock.now() + forMs);
  const taken = await store.insert([
    {
      ...{ _id, projectId, threadId, writer: newWriter(), epoch: end?.epoch ?? 0, first, count: 1 },
      ...{
        events: lineOf({ type: "thread-status", json: statusJson(status, waitingFor) }),
        status,
        cursor: end?.cursor ?? null,
      },
      expiresAt: isFinal ? null : keptUntil(timings.keepRunningMs),
    },
  ]);
  if (taken.has(_id)) return;
  const keepMs = isFinal ? timings.keepEndedMs : timings.keepRunningMs;
  await store.keepUntil(projectId, threadId, keptUntil(keepMs), _id);
}

function gone() {
  return rpcError(
    Reason.EVENTS_GONE,
    "The events of the thread are no longer kept; read the thread instead.",
  );
}
