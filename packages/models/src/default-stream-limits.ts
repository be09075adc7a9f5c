/** How long a provider may be silent before its call fails. */
export interface StreamLimits {
  /** From the call to the first part of the reply, in milliseconds. */
  firstPartTimeoutMs: number;
  /** Between two parts, in milliseconds. Only time spent waiting for a part counts. */
  stallTimeoutMs: number;
}

export const defaultStreamLimits: StreamLimits = { firstPartTimeoutMs: 120_000, stallTimeoutMs: 120_000 };
