const firstMs = 100;
const longestMs = 30_000;

/** The delay before redelivery after a handler's `attempt`th failure, counted from 1. */
export function redeliveryDelayMs(attempt: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(attempt - 1, 20));
}
