import type { LogHeader, LogStore } from "../../store/log-store.ts";
import type { SessionKey } from "../../store/moves.ts";

export interface LogLimits {
  /** The entries of one session. */
  maxEntries: number;
  /** The characters of JSON of one session. */
  maxLength: number;
}

/** A log is read through the newest 3,000, and without its model requests these reach further back. */
export const defaultMaxEntries = 10_000;

export interface Trimming {
  store: Pick<LogStore, "headers" | "dropRequests" | "delete">;
  limits: LogLimits;
  /** The executions whose messages are stored. */
  storedExecutions(key: SessionKey): Promise<ReadonlySet<string>>;
}

/**
 * Makes room in a log that is too long, from its oldest document on: first goes what models were sent, which follows from the
 * rest, then the entries of turns that are no longer stored. The turns of the conversation keep their entries, however many
 * they are: nothing else shows those that became part of a summary. The newest document stays.
 */
export async function trimLog({ store, limits, storedExecutions }: Trimming, key: SessionKey): Promise<void> {
  const headers = await store.headers(key);
  const old = headers.slice(0, -1);
  const size = sizeOf(headers);
  const isTooLong = () => size.entries > limits.maxEntries || size.length > limits.maxLength;
  for (const header of old) {
    if (!isTooLong()) return;
    if (header.requests === 0) continue;
    const left = await store.dropRequests(key, header._id);
    size.entries -= header.count - left.count;
    size.length -= header.length - left.length;
    Object.assign(header, left);
  }
  if (!isTooLong()) return;
  const stored = await storedExecutions(key);
  const removed: string[] = [];
  for (const { _id, executionId, count, length } of old) {
    if (!isTooLong()) break;
    if (stored.has(executionId)) continue;
    removed.push(_id);
    size.entries -= count;
    size.length -= length;
  }
  if (removed.length > 0) await store.delete(key, removed);
}

function sizeOf(headers: readonly LogHeader[]) {
  const size = { entries: 0, length: 0 };
  for (const { count, length } of headers) {
    size.entries += count;
    size.length += length;
  }
  return size;
}
