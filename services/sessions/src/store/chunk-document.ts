/**
 * Consecutive finished messages of a session, removed from its document. Immutable: a position of a generation has the
 * same message in every chunk that contains it. A chunk counts only as far as a session's `head` names it.
 */
export interface ChunkDocument {
  /** `<session>:<generation>:<first>:<end>`, numbers with 9 digits: in the order of positions. */
  _id: string;
  projectId: string;
  sessionId: string;
  gen: string;
  /** The position of its first message. */
  first: number;
  count: number;
  /** The ids by which users know its messages. */
  shownIds: string[];
  /** The executions that its messages name. Absent in chunks of earlier releases. */
  executionIds?: string[];
  /** JSON of `StoredMessage[]`. */
  messages: string;
  createdAt: Date;
}

const digits = 9;

export function chunkId(sessionId: string, gen: string, first: number, end: number): string {
  return `${positionId(sessionId, gen, first)}:${String(end).padStart(digits, "0")}`;
}

/** Sorts before every chunk that begins at the position, and after every one that begins before it. */
export function positionId(sessionId: string, gen: string, position: number): string {
  return `${sessionId}:${gen}:${String(position).padStart(digits, "0")}`;
}
