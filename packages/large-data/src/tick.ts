/** Far less than anyone notices, because the last piece of work and what follows from it come on top. */
const budgetMs = 10;

/** A tick lasts from one round of the main loop's immediates to the next. */
let isOpen = false;
let startMs = 0;
/** When the first work of this tick began. */
let begunMs: number | undefined;
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

/** Whether the caller may do its work at once: the tick has time for it, and no other work waits for a tick. */
export function claimTick(): boolean {
  if (waiting.length > 0 || isTickSpent()) return false;
  begunMs ??= performance.now();
  return true;
}

/**
 * Does the work in the first tick that has time for it, in the order of the calls. What follows from it by promises belongs to it.
 * `work` must not throw.
 */
export function inFreeTick(work: () => void): void {
  if (claimTick()) work();
  else waiting.push(work);
}

function endTick(): void {
  // The callbacks after this one belong to the same round of the main loop as the work before it.
  startMs = begunMs ?? performance.now();
  isOpen = waiting.length > 0 || begunMs !== undefined;
  begunMs = undefined;
  if (!isOpen) return;
  // Each in an immediate of its own, so that its promises are served before the time is looked at again.
  for (let count = 0; count < waiting.length; count++) setImmediate(serveNext);
  setImmediate(endTick);
}

/** Each tick does some of the work, however late it is. */
function serveNext(): void {
  if (begunMs !== undefined && isTickSpent()) return;
  begunMs ??= performance.now();
  waiting.shift()?.();
}
