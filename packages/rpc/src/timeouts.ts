/** For unary calls without a timeout of their own. Streams have no default. */
export const defaultUnaryTimeoutMs = 30_000;

// Above this, timers and grpc-js's arithmetic overflow into "at once".
const maxTimeoutMs = 2 ** 31 - 1;

/** Follows Connect: 0 or less switches the default off. */
export function effectiveTimeout(
  timeoutMs: number | undefined,
  fallback: number | undefined,
): number | undefined {
  if (timeoutMs === undefined) return fallback;
  if (timeoutMs <= 0 || timeoutMs > maxTimeoutMs) return undefined;
  return timeoutMs;
}

/** When a call that starts now must have ended, in milliseconds since 1970; Infinity without a timeout. */
export function deadlineAfter(timeoutMs: number | undefined): number {
  return timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
}
