/** What waits for the readers of all streams together. */
export const maxWaitingBytes = 256 * 1024 * 1024;

/** Also what a reader has not taken that has just taken something is a burden. */
const shortestMs = 500;

/** A stream whose reader may have stopped. */
export interface Waiting {
  readonly waitingBytes: number;
  /** When the reader last took something. */
  readonly lastTakenMs: number;
  cutStalled(): void;
}

/**
 * Cuts readers until the rest fits: first those for which most has been waiting for the longest time. One stream may keep
 * an event of several megabytes, so that some hundred stopped readers would otherwise fill the memory within a minute. The
 * size counts as well, because readers that take a byte now and then would otherwise let those be cut for which hardly
 * anything waits.
 */
export function cutWaiting(
  streams: Iterable<Waiting>,
  nowMs: number,
  maxBytes: number = maxWaitingBytes,
): void {
  const waiting = [...streams].filter(({ waitingBytes }) => waitingBytes > 0);
  let bytes = waiting.reduce((sum, { waitingBytes }) => sum + waitingBytes, 0);
  if (bytes <= maxBytes) return;
  const burden = ({ waitingBytes, lastTakenMs }: Waiting) =>
    waitingBytes * (nowMs - lastTakenMs + shortestMs);
  for (const stream of waiting.toSorted((a, b) => burden(b) - burden(a))) {
    if (bytes <= maxBytes) return;
    bytes -= stream.waitingBytes;
    stream.cutStalled();
  }
}
