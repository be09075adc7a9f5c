/** Far less than anyone notices, because the last piece of work and its consequences are added to it. */
const budgetMs = 10;

/** How much of the waiting work one tick may begin at most. */
const maxServed = 64;

/** A tick is one round of the main loop: the events that it polled, and the immediates after them. */
let tick = -1;
let startMs = 0;
/** The last tick that began work which had waited. */
let servedTick = -1;
const waiting: Array<() => void> = [];
let isServing = false;

/**
 * Whether this thread has spent 10 ms in the current tick. Work from outside that can wait should then wait for a later
 * one. By the clock, which never shows less than processor time: on a busy machine work only spreads over more ticks.
 */
export function isTickSpent(): boolean {
  const nowMs = performance.now();
  // The loop counts its rounds itself. An immediate that marked their ends would cost each request further rounds.
  const { loopCount } = performance.nodeTiming.uvMetricsInfo;
  if (loopCount === tick) return nowMs - startMs >= budgetMs;
  tick = loopCount;
  startMs = nowMs;
  return false;
}

/** Whether the caller may do its work at once: the tick has time for it, and no other work waits for a tick. */
export function claimTick(): boolean {
  return waiting.length === 0 && !isTickSpent();
}

/**
 * Does the work in the first tick that has time for it, in the order of the calls. Its consequences by promises belong
 * to it. `work` must not throw.
 */
export function inFreeTick(work: () => void): void {
  if (claimTick()) {
    work();
    return;
  }
  waiting.push(work);
  if (isServing) return;
  isServing = true;
  setImmediate(serve);
}

function serve(): void {
  isServing = waiting.length > 0;
  if (!isServing) return;
  // Each in an immediate of its own, so that its promises are served before the time is read again.
  for (let count = Math.min(waiting.length, maxServed); count > 0; count--) setImmediate(serveNext);
  setImmediate(serve);
}

/** Each tick does some of the work, however late it is. */
function serveNext(): void {
  if (isTickSpent() && servedTick === tick) return;
  servedTick = tick;
  waiting.shift()?.();
}

/** Yields to other work. */
export type Pause = () => Promise<void>;

/**
 * Resolves once the main loop has served everything that waits, in a tick that has time for more: however many wait for
 * their turn at once, their work spreads over ticks. A resolved promise would not yield to others, and a single
 * immediate of a socket's callback still runs before the loop asks for new events.
 */
export const nextTurn: Pause = () =>
  new Promise((resolve) => {
    setImmediate(() => setImmediate(inFreeTick, resolve));
  });

/**
 * From this many characters or bytes on, data is worked on in slices or on another thread. Below it, a whole pass
 * over it takes about a millisecond, and the detour would cost more than it saves.
 */
export const largeFrom = 128 * 1024;

export function isLarge({ length }: { readonly length: number }): boolean {
  return length >= largeFrom;
}

/** After a pass over data: yields if the data is large, and otherwise costs nothing but the await. */
export function turnAfter(size: number): Promise<void> | undefined {
  return size >= largeFrom ? nextTurn() : undefined;
}

/** Before work that many can begin in one moment: yields if the tick has no time for more. */
export function turnIfSpent(): Promise<void> | undefined {
  return isTickSpent() ? nextTurn() : undefined;
}
