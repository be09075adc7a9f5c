import type { CallOptions } from "@connectrpc/connect";

export const principalHeader = "muster-principal";
export const requestIdHeader = "muster-request-id";

/**
 * Options for a call. `principal` is the text that the signer returned; omit it for the calls
 * that precede one. A `timeoutMs` of 0 or less, as left over from a deadline that has passed, fails at once.
 */
export function callOptions(options: {
  principal?: string;
  requestId: string;
  timeoutMs?: number;
  signal?: AbortSignal;
}): CallOptions {
  const { principal, requestId, timeoutMs, signal } = options;
  return {
    headers:
      principal === undefined
        ? { [requestIdHeader]: requestId }
        : { [principalHeader]: principal, [requestIdHeader]: requestId },
    // Connect treats 0 and less as "no timeout".
    ...(timeoutMs === undefined ? {} : { timeoutMs: Math.max(1, timeoutMs) }),
    ...(signal === undefined ? {} : { signal }),
  };
}
