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
