import type { LogHeader } from "../../store/log-store.ts";

export interface LogLimits {
  /** Of one session. */
  maxEntries: number;
  /** Of one session, in characters of JSON. */
  maxLength: number;
}

/** A log is read through the newest 3,000, and without its model requests these reach further back. */
export const defaultMaxEntries = 10_000;

/** The id of the oldest document to keep; undefined if all may stay. The newest always stays. */
export function excessOf(headers: readonly LogHeader[], limits: LogLimits): string | undefined {
  let [entries, length] = [0, 0];
  for (let index = headers.length - 1; index >= 0; index -= 1) {
    const header = headers[index];
    entries += header?.count ?? 0;
    length += header?.length ?? 0;
    if (entries > limits.maxEntries || length > limits.maxLength)
      return headers[index + 1]?._id ?? header?._id;
  }
  return undefined;
}
