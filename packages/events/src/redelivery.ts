const firstMs = 100;
const longestMs = 30_000;

/** How long an event rests after its handler failed for the `attempt`th time, counted from 1. */
export function redeliveryDelayMs(attempt: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(attempt - 1, 20));
}
