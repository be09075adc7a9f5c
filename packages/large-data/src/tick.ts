/** Far less than anyone notices, because the last piece of work and what follows from it come on top. */
const budgetMs = 10;

/** A tick lasts from one round of the main loop's immediates to the next. */
let isOpen = false;
let startMs = 0;
/** Some of the work that waited was done in this tick. */
let hasServed = false;
const waiting: Array<() => void> = [];

/**
 * Whether this thread has spent 10 ms in the current tick. What comes from outside and can wait should then wait for a later one.
 * By the clock, which never shows less than processor time: on a busy machine work only spreads over more ticks.
 */
export function isTickSpent(): boolean {
  if (isOpen) return performance.now() - startMs >= budgetMs;
  isOpen = true;
  startMs = performance.now();
  setImmediate(endTick);
  return false;
}

/**
 * Does the work in the first tick that has time for it, in the order of the calls. What follows from it by promises belongs to it.
 * `work` must not throw.
 */
export function inFreeTick(work: () => void): void {
  if (waiting.length === 0 && !isTickSpent()) work();
  else waiting.push(work);
}

function endTick(): void {
  startMs = performance.now();
  hasServed = false;
  isOpen = waiting.length > 0;
  if (!isOpen) return;
  // Each in an immediate of its own, so that its promises are served before the time is looked at again.
  for (let count = 0; count < waiting.length; count++) setImmediate(serveNext);
  setImmediate(endTick);
}

/** Each tick does some of the work, however late it is. */
function serveNext(): void {
  if (hasServed && isTickSpent()) return;
  hasServed = true;
  waiting.shift()?.();
}
