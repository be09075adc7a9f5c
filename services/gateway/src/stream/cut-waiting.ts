/** What waits for the readers of all streams together. */
export const maxWaitingBytes = 256 * 1024 * 1024;

/** A stream whose reader may have stopped. */
export interface Waiting {
  readonly waitingBytes: number;
  /** When the reader last took something. */
  readonly lastTakenMs: number;
  cutStalled(): void;
}

/**
 * Cuts the readers that have taken nothing for the longest time until the rest fits. One stream may keep an event of
 * several megabytes, so that some hundred stopped readers would otherwise fill the memory within a minute.
 */
export function cutWaiting(streams: Iterable<Waiting>, maxBytes: number = maxWaitingBytes): void {
  const waiting = [...streams].filter(({ waitingBytes }) => waitingBytes > 0);
  let bytes = waiting.reduce((sum, { waitingBytes }) => sum + waitingBytes, 0);
  if (bytes <= maxBytes) return;
  for (const stream of waiting.toSorted((a, b) => a.lastTakenMs - b.lastTakenMs)) {
    if (bytes <= maxBytes) return;
    bytes -= stream.waitingBytes;
    stream.cutStalled();
  }
}
