/**
 * Consecutive entries of one run of a session's execution log. Immutable. Under the session's id, or under the
 * execution's for a worker.
 */
export interface LogDocument {
  /** `<session>:<epoch>:<first>`, numbers with 12 and 7 digits: in the order of sequence numbers. */
  _id: string;
  projectId: string;
  agentId: string;
  sessionId: string;
  executionId: string;
  count: number;
  /** How many of the entries are `model-request`. */
  requests: number;
  /** Characters of `entries`. */
  length: number;
  /** The entries as JSON, one on each line. Each begins with its `type`. */
  entries: string;
  createdAt: Date;
  /** Null: not before the session's end. */
  expiresAt: Date | null;
}

export function logId(sessionId: string, epoch: number, first: number): string {
  return `${sessionId}:${String(epoch).padStart(12, "0")}:${String(first).padStart(7, "0")}`;
}

/** Entries that one lock of a session can record. */
export const maxEntriesPerRun = 2 ** 20 - 1;

/** The epoch rises with every lock, so numbers rise across executions and instances. Exact up to epoch 8 billion. */
export function sequenceOf(epoch: number, index: number): number {
  return epoch * (maxEntriesPerRun + 1) + index;
}

/** The sequence number of an entry, from itself or from the entry's id. Undefined: it is neither. */
export function sequenceIn(name: string): number | undefined {
  const [, digits] = /^(?:log_\w{1,100}_)?(\d{1,16})$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The reverse of `sequenceOf`. */
export function placeOf(sequence: number): { epoch: number; index: number } {
  const perRun = maxEntriesPerRun + 1;
  return { epoch: Math.floor(sequence / perRun), index: sequence % perRun };
}
