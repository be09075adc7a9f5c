/** How long a provider may be silent before the call counts as failed. */
export interface StreamLimits {
  /** From the call to the first part of the answer, in milliseconds. */
  firstPartTimeoutMs: number;
  /** Between two parts, in milliseconds. Time in which nobody asked for a part does not count. */
  stallTimeoutMs: number;
}

export const defaultStreamLimits: StreamLimits = { firstPartTimeoutMs: 120_000, stallTimeoutMs: 120_000 };
