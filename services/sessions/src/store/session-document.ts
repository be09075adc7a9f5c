import type { Conversation } from "../engine/conversation/conversation.ts";

/**
 * A session is one document, so that every change to it is one conditional write. Values from callers and models
 * are kept as JSON text: BSON allows no NUL in a key, reads `{"$ref": …, "$id": …}` as a reference and
 * `{"_bsontype": …}` as one of its own types, nests only 100 levels, and costs more to encode.
 */
export interface SessionDocument {
  /** `ses_…`. */
  _id: string;
  projectId: string;
  agentId: string;
  /** The version that the session was created with. */
  agentVersion: number;
  /** An `active` session may have timed out: see `isExpired`. */
  status: "active" | "expired";
  /** JSON object of input variables; null once expired. */
  input: string | null;
  /** JSON of a `Conversation`; null once expired. */
  conversation: string | null;
  createdAt: Date;
  updatedAt: Date;
  /** Null: never. */
  expiresAt: Date | null;
  /** Rises whenever the right to write changes hands. Writes with an older epoch match nothing. */
  epoch: number;
  /** The current holder. Expires at `until`. */
  lease: Lease | null;
  /** The execution that, as far as the store knows, has not ended. */
  execution: StoredExecution | null;
}

export interface Lease {
  /** `run_…`: one lock. A continued execution gets a new one each time. */
  runId: string;
  /** Id of the instance. */
  holder: string;
  until: Date;
  /** Seen by the holder when it renews. */
  cancelRequested: boolean;
}

export interface StoredExecution {
  id: string;
  /** `running` was written during a turn; without a lease its holder died. */
  state: "running" | "paused";
  /** JSON of a `Frame`. */
  frame: string;
  /** Its cost so far. Only for worker executions. */
  fees?: Fees;
}

/** The cost of an execution so far: exact decimals in US dollars. */
export interface Fees {
  /** The model providers' charges. */
  providerFee: string;
  /** The platform's charges. */
  bandwidthFee: string;
}

/** The part of a session that an execution changes. */
export interface SessionState {
  conversation: string | null;
  execution: StoredExecution | null;
  /** Set to remove it. */
  input?: null;
}

export function isExpired(session: Pick<SessionDocument, "status" | "expiresAt">, nowMs: number): boolean {
  return session.status === "expired" || (session.expiresAt !== null && session.expiresAt.getTime() <= nowMs);
}

/** True if an instance executes it now. With `onlyHolder`, every other holder is known to be dead. */
export function isLocked(
  { lease }: Pick<SessionDocument, "lease">,
  nowMs: number,
  onlyHolder?: string | undefined,
): boolean {
  if (lease === null || (onlyHolder !== undefined && lease.holder !== onlyHolder)) return false;
  return lease.until.getTime() > nowMs;
}

export function readConversation(session: Pick<SessionDocument, "conversation">): Conversation {
  return session.conversation === null
    ? { messages: [], variables: {}, resources: {} }
    : JSON.parse(session.conversation);
}

export function storedBytes({
  input,
  conversation,
}: Pick<SessionDocument, "input" | "conversation">): number {
  return Buffer.byteLength(input ?? "") + Buffer.byteLength(conversation ?? "");
}

/** In bytes. */
export function sizeOf(state: SessionState): number {
  return Buffer.byteLength(state.conversation ?? "") + Buffer.byteLength(state.execution?.frame ?? "");
}
