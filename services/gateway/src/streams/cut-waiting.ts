/** The bytes that wait for the readers of all streams together. */
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
 * Cuts readers until the rest fits: each time one of the project for which most is waiting, first those for which most
 * has been waiting for the longest time. So a project's stopped readers never cost another one its readers. One stream
 * may keep an event of several megabytes, so that some hundred stopped readers would otherwise fill the memory within a
 * minute. The size counts as well, because readers that take a byte now and then would otherwise cause those to be cut
 * for which hardly anything waits.
 */
export function cutWaiting(
  streams: Iterable<readonly [stream: Waiting, projectId: string]>,
  nowMs: number,
  maxBytes: number = maxWaitingBytes,
): void {
  const waiting = [...streams].filter(([{ waitingBytes }]) => waitingBytes > 0);
  const sum = (some: typeof waiting) => some.reduce((bytes, [{ waitingBytes }]) => bytes + waitingBytes, 0);
  let bytes = sum(waiting);
  if (bytes <= maxBytes) return;
  const burden = ([{ waitingBytes, lastTakenMs }]: (typeof waiting)[number]) =>
    waitingBytes * (nowMs - lastTakenMs + shortestMs);
  const projects = [...Map.groupBy(waiting, ([, projectId]) => projectId).values()].map((some) => ({
    bytes: sum(some),
    // The first of equal ones is the last.
    lightestFirst: some.toSorted((a, b) => burden(b) - burden(a)).reverse(),
  }));
  while (bytes > maxBytes) {
    const largest = projects.reduce((a, b) => (b.bytes > a.bytes ? b : a));
    const [stream] = largest.lightestFirst.pop() ?? [];
    if (stream === undefined) return;
    const { waitingBytes } = stream;
    largest.bytes -= waitingBytes;
    bytes -= waitingBytes;
    stream.cutStalled();
  }
}
