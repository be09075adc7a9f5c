import type { JsonValue } from "@muster/protocol";
import type { Conversation } from "../engine/conversation/conversation.ts";

/**
 * A session is one document, so that every change of it is one conditional write. What callers and models wrote
 * is kept as JSON text: BSON knows no key with a NUL, reads `{"$ref": …, "$id": …}` as a reference and
 * `{"_bsontype": …}` as a type of its own, nests 100 levels only, and costs more to encode.
 */
export interface SessionDocument {
  /** `ses_…`. */
  _id: string;
  projectId: string;
  agentId: string;
  /** The version that the session was created with. */
  agentVersion: number;
  /** `active` says nothing about the time: see `isExpired`. */
  status: "active" | "expired";
  /** JSON object of input variables; null once expired. */
  input: string | null;
  /** JSON of a `Conversation`; null once expired. */
  conversation: string | null;
  createdAt: Date;
  updatedAt: Date;
  /** Null: never. */
  expiresAt: Date | null;
  /** Grows whenever somebody else may write from now on. Writes of an older epoch match nothing. */
  epoch: number;
  /** Who executes. Over when `until` has passed. */
  lease: Lease | null;
  /** The execution that is not over as far as the store knows. */
  execution: StoredExecution | null;
}

export interface Lease {
  /** `run_…`: one lock. A continued execution gets another one each time. */
  runId: string;
  /** Id of the instance. */
  holder: string;
  until: Date;
  /** Seen by the holder when it renews. */
  cancelRequested: boolean;
}

export interface StoredExecution {
  id: string;
  /** `running` was written half-way; without a lease its holder died. */
  state: "running" | "paused";
  /** JSON of a `Frame`. */
  frame: string;
  /** What it has cost. Of worker executions only. */
  fees?: Fees;
}

/** What an execution has cost so far: exact decimals in US dollars. */
export interface Fees {
  /** What the model providers charge. */
  providerFee: string;
  /** What the platform charges. */
  bandwidthFee: string;
}

/** The state of a session that an execution changes. */
export interface SessionState {
  conversation: string | null;
  execution: StoredExecution | null;
  /** Given to remove it. */
  input?: null;
}

export function isExpired(session: Pick<SessionDocument, "status" | "expiresAt">, nowMs: number): boolean {
  return session.status === "expired" || (session.expiresAt !== null && session.expiresAt.getTime() <= nowMs);
}

/** Somebody executes it right now. With `onlyHolder`, every other holder is known to be dead. */
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

export function readInput(session: Pick<SessionDocument, "input">): Record<string, JsonValue> {
  return session.input === null ? {} : JSON.parse(session.input);
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
