import type { Notice } from "@muster/events";
import { type Transition, transitionsOf } from "@muster/store";
import type { Filter } from "mongodb";
import type { RecordingStatus } from "./recording-transitions.ts";
import type {
  Failure,
  Offer,
  StoredMessage,
  StoredRequest,
  StoredWait,
  ThreadDocument,
} from "./thread-document.ts";
import type { ThreadRecording } from "./thread-recording.ts";
import {
  finalStatuses,
  inFlightStatuses,
  openStatuses,
  type threadTransitions,
} from "./thread-transitions.ts";

/** The most messages that may wait in a thread. */
export const maxInbox = 500;

/**
 * A change of a thread, made by `ThreadStore.move` and nothing else. Every one is harmless if it is repeated, because its
 * condition is false by then. `rev` rises with each.
 */
export type Move = Transition<ThreadDocument>;

const transition = transitionsOf<ThreadDocument, typeof threadTransitions>();

/** The event of a change, for webhooks. Undefined: they learn nothing of it. */
export function noticeOf({ to, set }: Pick<Move, "to" | "set">): Pick<Notice, "type" | "data"> | undefined {
  if (to === undefined || to === "pending") return undefined;
  if (to === "queued")
    return set?.waitingFor && { type: "thread.waiting", data: { status: to, ...waitOf(set.waitingFor) } };
  const { failureType } = set ?? {};
  return { type: `thread.${to}`, data: { status: to, ...(failureType && { failureType }) } };
}

function waitOf({ approvalIds, openCalls = [] }: StoredWait): Notice["data"] {
  return {
    ...(approvalIds.length > 0 && { approvalIds }),
    ...(openCalls.length > 0 && { toolCallIds: openCalls.map(({ toolCallId }) => toolCallId) }),
  };
}

/** The right of a driver to write: its run has the thread, and no other process has taken the agent since. */
export interface Driver {
  runId: string;
  epoch: number;
}

const asDriver = ({ runId, epoch }: Driver): Filter<ThreadDocument> => ({ runId, epoch });

const reopened = { completedAt: null, failureReason: null, failureType: null, runId: null } as const;

/** No message with the idempotency key of this entry of `followUpKeys` was taken since the thread was read. */
function isKeyUnused(entry: string | undefined): Filter<ThreadDocument> {
  if (entry === undefined) return {};
  const key = entry.slice(0, entry.indexOf(":"));
  return { followUpKeys: { $not: { $elemMatch: { $gte: `${key}:`, $lt: `${key};` } } } };
}

/** The agent's queue has taken a new thread. `pending`: it is next. */
export function accept(status: "pending" | "queued"): Move {
  const rest = { guard: { accepted: false }, set: { accepted: true }, unset: ["openSince"] } as const;
  return status === "pending" ? transition("pending", ["queued"], rest) : { from: ["queued"], ...rest };
}

/** A follow-up to a finished thread asks the agent's queue for a place. */
export function offer(made: Offer, at: Date): Move {
  return {
    from: finalStatuses,
    guard: {
      ...{ offer: null, closed: false, ...isKeyUnused(made.entry) },
      // Otherwise the thread has run again since it was read.
      ...(made.earlierRun && { "recording.id": made.earlierRun.recordingId }),
    },
    set: { offer: made, openSince: at },
  };
}

/** The agent's queue has taken the finished thread again. `running`: it is next. */
export function reopen({ message, entry, recording, earlierRun }: Offer, status: "running" | "queued"): Move {
  return transition(status, finalStatuses, {
    guard: { "offer.message.id": message.id },
    set: { ...reopened, offer: null, ...(recording && { recording }), ...(earlierRun && { earlierRun }) },
    // A new turn closes the approvals of the one before.
    unset: ["openSince", "waitingFor"],
    push: { inbox: message, ...(entry !== undefined && { followUpKeys: entry }) },
    inc: { messageCount: 1 },
  });
}

/** The agent's queue has refused the finished thread. */
export function withdrawOffer({ message }: Offer): Move {
  return {
    from: finalStatuses,
    guard: { "offer.message.id": message.id },
    set: { offer: null },
    unset: ["openSince"],
  };
}

/** A follow-up to a thread with work: it waits for its turn, before other threads. */
export function append(message: StoredMessage, entry?: string): Move {
  return {
    from: openStatuses,
    guard: {
      ...{ accepted: true, closed: false, [`inbox.${maxInbox - 1}`]: { $exists: false } },
      ...isKeyUnused(entry),
    },
    push: { inbox: message, ...(entry !== undefined && { followUpKeys: entry }) },
    inc: { messageCount: 1 },
  };
}

/** The number of those that stay visible: each needs a start that ended before its first turn. */
const maxNeverRan = 100;

/** Keeps the message of a thread without a turn for its readers, before another takes its place. */
function setAside({ turn, message, neverRan = [] }: Shown): Partial<Pick<ThreadDocument, "neverRan">> {
  return turn === 0 && message ? { neverRan: [...neverRan, message].slice(-maxNeverRan) } : {};
}

type Shown = Partial<Pick<ThreadDocument, "turn" | "message" | "neverRan">>;

/**
 * Ends the work of a thread; waiting messages are dropped. The first message of a thread that never ran stays visible.
 * `withdraw`: only while it waits in the queue; otherwise only while a run has it, or waits for decisions.
 */
export function cancel(thread: ThreadDocument, at: Date, how: "withdraw" | "cancel"): Move {
  const hasRun = thread.turn > 0;
  const { waitingFor } = thread;
  const waits = how === "withdraw" || waitingFor !== undefined;
  return transition("cancelled", waits ? ["queued"] : inFlightStatuses, {
    guard: {
      ...{ accepted: true, turn: hasRun ? { $gt: 0 } : 0 },
      ...(waitingFor && { "waitingFor.since": waitingFor.since }),
    },
    set: {
      inbox: [],
      request: null,
      completedAt: at,
      ...(thread.request && { cancelledRequest: thread.request }),
      ...(waitingFor && { waitingFor: { ...waitingFor, lookAt: at } }),
      ...(!hasRun && thread.inbox[0] && { ...setAside(thread), message: thread.inbox[0] }),
    },
  });
}

/** A run takes a thread that its agent has claimed, and continues nothing of an earlier run. A thread that continues after its end is `running` already. */
export function assign(status: "queued" | "pending" | "running", driver: Driver): Move {
  const rest = { guard: { accepted: true, runId: null }, set: { ...driver, takeOvers: 0, request: null } };
  return status === "queued" ? transition("pending", ["queued"], rest) : { from: [status], ...rest };
}

/** Another process continues the run. From then on, the one before it cannot write. */
export function takeOver({ runId, epoch }: Driver): Move {
  return {
    from: inFlightStatuses,
    guard: { runId, epoch: { $lt: epoch } },
    set: { epoch },
    inc: { takeOvers: 1 },
  };
}

/**
 * The turn of the oldest waiting message begins: the run has reached its computer. `request`: the call to the session that
 * begins the turn.
 */
export function beginTurn(
  thread: Pick<ThreadDocument, "status" | "recording"> & Shown,
  message: StoredMessage,
  driver: Driver,
  set: Pick<ThreadDocument, "request"> &
    Partial<Pick<ThreadDocument, "provenance" | "startedAt" | "recording">>,
): Move {
  const rest = {
    guard: { ...asDriver(driver), "inbox.0.id": message.id },
    set: { ...set, ...setAside(thread), message, takeOvers: 0 },
    pull: { inbox: { id: message.id } },
    inc: { turn: 1, messageCount: 1 },
  };
  return thread.status === "pending"
    ? transition("running", ["pending"], rest)
    : { from: ["running"], ...rest };
}

/** The turn has reached tool calls. `request`: the call to the session that will carry their results. */
export function nextStep(request: StoredRequest, driver: Driver): Move {
  return { from: ["running"], guard: asDriver(driver), set: { request, takeOvers: 0 } };
}

/** The turn asks users to decide about calls: the run leaves its agent. `request`: the call to the session that continues it. */
export function ask(request: StoredRequest, waitingFor: StoredWait, driver: Driver): Move {
  return transition("queued", ["running"], {
    guard: asDriver(driver),
    set: { request, waitingFor, takeOvers: 0 },
  });
}

/** All decisions have been made: the run continues once its agent is free. */
export function decided({ since }: StoredWait, now: Date): Move {
  return {
    from: ["queued"],
    guard: { "waitingFor.since": since, "waitingFor.isDecided": { $exists: false } },
    set: { "waitingFor.isDecided": true, "waitingFor.lookAt": now },
  };
}

/** An instance has checked the decisions, and checks them again then. */
export function checkAgain({ since, lookAt }: StoredWait, again: Date): Move {
  return {
    guard: { "waitingFor.since": since, "waitingFor.lookAt": lookAt },
    set: { "waitingFor.lookAt": again },
  };
}

/** The turn of a cancelled thread has ended. */
export function closeWait({ since }: StoredWait): Move {
  return { from: finalStatuses, guard: { "waitingFor.since": since }, unset: ["waitingFor"] };
}

/** Its agent is free, so a run continues after all decisions. */
export function resume(driver: Driver): Move {
  return transition("running", ["queued"], {
    guard: { "waitingFor.isDecided": true, epoch: { $lt: driver.epoch } },
    set: { ...driver, takeOvers: 0 },
    unset: ["waitingFor"],
  });
}

/** Readers of the thread learn what has become of its recording. */
export function noteRecording(
  recording: ThreadRecording & { status: Extract<RecordingStatus, "ready" | "failed" | "deleted"> },
): Move {
  const { id, status } = recording;
  return {
    guard: { "recording.id": id, "recording.status": { $nin: [status, "deleted"] } },
    set: { recording },
  };
}

/** The notes of a driver on its run. */
export function progress(driver: Driver, set: Partial<ThreadDocument>, inc: Move["inc"] = {}): Move {
  return { from: inFlightStatuses, guard: asDriver(driver), set, inc };
}

/** The run ends well. Not while a message waits: the same slot takes it. */
export function complete(driver: Driver, at: Date): Move {
  return transition("completed", ["running"], {
    guard: { ...asDriver(driver), inbox: { $size: 0 } },
    set: { completedAt: at, request: null },
  });
}

export interface FailOptions {
  /** Messages that wait could not run, either. Otherwise the run does not end while one waits. */
  dropsInbox?: boolean;
  /** The thread, if its run ends before it begins a turn: a first message stays visible. */
  neverRan?: ThreadDocument;
  /** The thread takes no more messages. */
  closed?: boolean;
}

/** The run fails. */
export function fail(
  driver: Driver,
  { type, reason }: Failure,
  at: Date,
  { dropsInbox = false, neverRan, closed = false }: FailOptions = {},
): Move {
  const first = neverRan?.turn === 0 ? neverRan.inbox[0] : undefined;
  return transition("failed", inFlightStatuses, {
    guard: { ...asDriver(driver), ...(!dropsInbox && { inbox: { $size: 0 } }) },
    set: {
      ...{ completedAt: at, failureType: type, failureReason: reason, request: null },
      ...(dropsInbox && { inbox: [] }),
      ...(neverRan && first && { ...setAside(neverRan), message: first }),
      ...(closed && { closed }),
    },
  });
}

/** A limit is reached. Waiting messages stay, and run after a follow-up once the limit is raised. */
export function block(driver: Driver, { type, reason }: Failure, at: Date): Move {
  return transition("blocked", inFlightStatuses, {
    guard: asDriver(driver),
    set: { completedAt: at, failureType: type, failureReason: reason, request: null },
  });
}
