import type { Conversation, FileRef, Memory } from "@muster/engine";
import type { NoticeFields } from "@muster/events";
import type { AuditFields } from "@muster/events/audit";
import type { MonthlyLimits } from "@muster/rpc";
import type { Lease as HeldLease } from "@muster/store";
import type { Collection } from "mongodb";
import type { PendingEvents } from "./turn-events.ts";

/**
 * A session is one document, so that every change to it is one conditional write. Only its finished messages leave
 * it, for chunks that never change (`chunk-store.ts`): `head` names them, so that the same write publishes them.
 *
 * Values from callers and models are kept as JSON text: BSON allows no NUL in a key, reads `{"$ref": …, "$id": …}` as
 * a reference and `{"_bsontype": …}` as one of its own types, nests only 100 levels, and costs more to encode.
 */
export interface SessionDocument extends NoticeFields, AuditFields {
  /** `ses_…`. */
  _id: string;
  projectId: string;
  agentId: string;
  /** The version that the session was created with. */
  agentVersion: number;
  /** For whom the session is: its use counts for the subject, whose tokens find no others. Never changes. Absent: for none. */
  subject?: string;
  /** An `active` session may have timed out: see `isExpired`. */
  status: "active" | "expired";
  /** JSON object of input variables; null once expired. */
  input: string | null;
  /**
   * The archived messages, oldest first. The next ones are archived in the generation of the last range, which may be
   * empty. No ranges: nothing is archived, and nothing may be.
   */
  head: ArchivedRange[];
  /** JSON of the `StoredMessage`s after those of `head`; null once expired. */
  tail: string | null;
  /** JSON of a `Memory`; null once expired. */
  memory: string | null;
  /** From earlier releases, instead of `head`, `tail` and `memory`: JSON of a `Conversation`. The next write removes it. */
  conversation?: string | null;
  /** The caller's own data: see `metadata.ts`. Absent: none. Kept when the session expires, so that it can be found. */
  metadata?: string[];
  /** The beginning of the first text that a user wrote; null without one. Like the next, absent in documents of earlier releases. */
  title?: string | null;
  /** The messages that users have seen. */
  messageCount?: number;
  /** The position of the running summary of the main thread; null without one. Absent in documents of earlier releases. */
  summaryAt?: number | null;
  /**
   * JSON of the usage of all turns; kept when the session expires. Absent: nothing, or not counted by an earlier
   * release.
   */
  usage?: string;
  /** When chunks that `head` no longer names are deleted. Absent: all are named. */
  sweepAt?: Date;
  createdAt: Date;
  updatedAt: Date;
  /** Null: never. */
  expiresAt: Date | null;
  /** Rises whenever the right to write changes hands. Writes with an older epoch match nothing. */
  epoch: number;
  /**
   * Runs with a lower number are from before the session was restored: their events must not be read. Absent: there are
   * none.
   */
  firstRun?: number;
  /** The current holder. Expires at `until`. */
  lease: Lease | null;
  /** The execution that, as far as the store knows, has not ended. */
  execution: StoredExecution | null;
  /** The events of the turn that was stored last. Absent: it had none. */
  pendingEvents?: PendingEvents;
  /** The events of turns before that one, oldest first. Only if no other instance can exist, and they are few. */
  earlierEvents?: PendingEvents[];
  /** The sequence number of the last turn's last log entry, which may not be stored yet. Absent: it had none. */
  lastEntry?: number;
  /** Only of the sessions in the collection of the workforce service, which all have it. */
  workforce?: WorkforceState;
}

/** The requests of the workforce service for a session. */
export interface WorkforceState {
  /** `agt_…`: the workforce agent that pays for the session's usage. */
  agentId: string;
  /** `thr_…`. Absent in documents of earlier releases. */
  threadId?: string;
  /** The highest number of a driver that the session has seen. */
  driverEpoch: number;
  /** The latest call. Null: there was none. */
  call: RunCall | null;
}

/** A call of the workforce service and the execution that it began. */
export interface RunCall {
  /** Unique among the calls for the session. */
  requestId: string;
  executionId: string;
  /** The number as in `RunKey`. */
  run: number;
}

/** The limit of a calendar month (UTC). */
export interface SpendingLimit extends Pick<MonthlyLimits, "monthlyUsd" | "monthlyTokens"> {
  /** Whose use counts: that of the workforce agent, or of all of the project. */
  scope: "agent" | "project";
}

/** The messages at the positions `from` to `to` (exclusive) of a conversation. Ranges follow each other without a gap. */
export interface ArchivedRange {
  /** A position of a generation never changes its message, so it can be read and cached without a check. */
  gen: string;
  from: number;
  to: number;
  /** The size of the JSON of each message, and one more for each. */
  bytes: number;
}

export type SessionCollection = Collection<SessionDocument>;

export interface Lease extends HeldLease {
  /** `run_…`: one lock. A continued execution gets a new one each time. */
  runId: string;
  /** The execution, if it began with this lock. Absent: the one that `execution` names. */
  executionId?: string;
  /** Seen by the holder when it renews. */
  cancelRequested: boolean;
  /** The run under which the turn's events are stored. Absent: the session's epoch; lower if the turn was adopted. */
  run?: number;
  /**
   * The holder has stopped: it has sent nothing behind the event of this number, all events up to it are stored, and `until`
   * has passed. Absent: it lives, or it died.
   */
  handedOver?: number;
  /** How often the turn was adopted from a process that died since it completed a step. Absent: never. */
  adoptions?: number;
  /** The request of the turn's caller. Absent: a worker, or a holder of an earlier release; these cannot be adopted. */
  options?: TurnOptions;
  /** Begins the same turn again. The turn's first write removes it: from then on, `execution` continues the turn. */
  beginning?: Beginning;
}

/** `with-pauses`: for a reader of one JSON document, which contains the usage so far at a pause, too. */
export type UsageReport = boolean | "with-pauses";

export interface TurnOptions {
  /** The turn keeps running if its reader leaves. */
  detached: boolean;
  /** A `usage` event follows the `finish` that ends the turn. */
  reportsUsage: UsageReport;
  /** The key that the use counts for; that of a token is the key that minted it. Absent: none. */
  keyId?: string;
  /** The most that the execution may cost, a decimal number of dollars. Absent: no limit. */
  maxUsd?: string;
  /** Checked before each model call of a workforce agent. */
  limits?: SpendingLimit[];
}

/** The same beginning on the same document makes the same first events, with the same ids and times. */
export interface Beginning {
  /** Random; ids follow from it. */
  seed: string;
  at: Date;
  /** The session began with the turn, whose `start` event therefore names it. */
  opensSession?: true;
  /** Absent: too large. */
  command?: StoredCommand;
}

/** The part of a caller's request that a turn depends on. Texts that the caller sent as JSON are not parsed. */
export interface StoredCommand {
  triggerName: string;
  /** JSON. */
  input: string;
  /** The last message to keep; null removes all. Absent: no message is removed. */
  keepUpTo?: string | null;
  sender?: { id?: string; name?: string; image?: string };
  /** `inputSchema`: JSON. */
  dynamicTools?: Array<{ name: string; description: string; inputSchema: string }>;
  /** JSON of the `RunSettings` of a workforce agent. */
  run?: string;
  /** The execution of a continuation. */
  executionId?: string;
  /** `result`: JSON. Neither `result` nor `error`: the tool returned nothing. */
  results?: Array<{
    toolCallId: string;
    toolName: string;
    result?: string;
    error?: string;
    files?: FileRef[];
  }>;
}

export interface StoredExecution {
  id: string;
  /**
   * `running` was written during a turn; without a lease its holder died. `paused`: it waits for tool results; `asking`:
   * for decisions.
   */
  state: "running" | "paused" | "asking";
  /** Only of an execution that asks. */
  asks?: AskingExecution;
  /** JSON of a `Frame`. */
  frame: string;
  /** Its cost so far. Absent in pauses of sessions that earlier releases stored. */
  fees?: Fees;
  /** The most that it may cost, a decimal number of dollars. Absent: no limit. */
  maxUsd?: string;
}

/** The values with which a turn continues once its approvals are decided. */
export interface AskingExecution {
  approvalIds: string[];
  /** The run whose events continue. */
  run: number;
  reportsUsage: UsageReport;
  /** The key of the turn's caller. Absent: none. */
  keyId?: string;
}

/** The cost of an execution so far: exact decimals in US dollars. */
export interface Fees {
  /** The model providers' charges. */
  providerFee: string;
  /** The platform's charges. */
  bandwidthFee: string;
  /** True if all of its calls used keys of the project, false if not. Absent: before the first call. */
  byok?: boolean;
}

/** A conversation as its document contains it. */
export type ConversationFields = Pick<SessionDocument, "tail" | "memory"> &
  Partial<Pick<SessionDocument, "head" | "sweepAt" | "title" | "messageCount" | "summaryAt">>;

/** The part of a session that an execution changes. */
export interface SessionState extends ConversationFields {
  execution: StoredExecution | null;
  usage?: string;
  pendingEvents?: PendingEvents;
  earlierEvents?: PendingEvents[];
  lastEntry?: number;
  /** Set to remove it. */
  input?: null;
}

export type PendingPlace = Omit<PendingEvents, "events">;

/** The facts of a session's turn, without the texts that can be large. */
export interface TurnOfSession
  extends Pick<
    SessionDocument,
    | "_id"
    | "projectId"
    | "agentId"
    | "status"
    | "updatedAt"
    | "expiresAt"
    | "epoch"
    | "firstRun"
    | "lease"
    | "workforce"
  > {
  execution: Pick<StoredExecution, "id" | "state" | "asks"> | null;
  pendingEvents?: PendingPlace;
  earlierEvents?: PendingPlace[];
}

export function isExpired(session: Pick<SessionDocument, "status" | "expiresAt">, nowMs: number): boolean {
  return session.status === "expired" || (session.expiresAt !== null && session.expiresAt.getTime() <= nowMs);
}

/** The conversation in a document. */
export type Containing = Pick<SessionDocument, "tail" | "memory"> &
  Partial<Pick<SessionDocument, "conversation">>;

/** Its messages that are not archived, and the rest. */
export function readConversation({ tail, memory, conversation }: Containing): Conversation {
  if (conversation) return JSON.parse(conversation);
  const rest: Memory = memory === null ? { variables: {}, resources: {} } : JSON.parse(memory);
  return { messages: JSON.parse(tail ?? "[]"), ...rest };
}

/** Everything in one document. */
export function inDocument({ messages, ...memory }: Conversation): Pick<SessionDocument, "tail" | "memory"> {
  return { tail: JSON.stringify(messages), memory: JSON.stringify(memory) };
}

export type Sized = Containing & Pick<SessionDocument, "input">;

/** Whose uploaded files its turns may read: its own, and those of its workforce agent. */
export function fileOwnerOf({
  _id,
  projectId,
  workforce,
}: Pick<SessionDocument, "_id" | "projectId" | "workforce">) {
  return { projectId, ownerIds: workforce === undefined ? [_id] : [_id, workforce.agentId] };
}

/** The size of the document, without the archived messages. */
export function storedBytes({ input, tail, memory, conversation }: Sized): number {
  return [input, tail, memory, conversation].reduce((sum, text) => sum + Buffer.byteLength(text ?? ""), 0);
}

/** In bytes. */
export function sizeOf({ tail, memory, execution }: SessionState): number {
  return [tail, memory, execution?.frame].reduce((sum, text) => sum + Buffer.byteLength(text ?? ""), 0);
}

/** Writes of more characters share no command with those of other sessions. */
const largeLength = 64 * 1024;

export function isLargeWrite({
  input,
  tail,
  memory,
  lease,
  execution,
  pendingEvents,
}: Partial<SessionDocument> = {}): boolean {
  const texts = [
    input,
    tail,
    memory,
    lease?.beginning?.command?.input,
    execution?.frame,
    pendingEvents?.events,
  ];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0) > largeLength;
}
