import { setTimeout as delay } from "node:timers/promises";

/** Resolves once the condition is true; rejects, naming it, if it does not become true in time. */
export async function until(what: string, condition: () => boolean, withinMs = 10_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await delay(10);
  }
}
