import { setTimeout as delay } from "node:timers/promises";

type Condition = () => boolean | Promise<boolean>;

const firstPauseMs = 5;
const longestPauseMs = 50;

/**
 * Resolves once the condition is true. Rejects after `withinMs` with the clause, such as "the event arrives", or else
 * with the source of the condition. The default of a minute is for failures only, so it is patient with a slow machine.
 */
export function until(condition: Condition): Promise<void>;
export function until(clause: string, condition: Condition, withinMs?: number): Promise<void>;
export async function until(
  clauseOrCondition: string | Condition,
  givenCondition?: Condition,
  withinMs = 60_000,
): Promise<void> {
  const condition = typeof clauseOrCondition === "string" ? givenCondition : clauseOrCondition;
  if (condition === undefined) throw new TypeError("until needs a condition");
  const startMs = performance.now();
  while (!(await condition())) {
    const waitedMs = performance.now() - startMs;
    if (waitedMs > withinMs) throw new Error(`Waited ${withinMs} ms in vain until ${clauseOrCondition}`);
    // A condition that is a request would keep both sides busy for as long as it is false.
    await delay(Math.min(longestPauseMs, firstPauseMs + waitedMs / 10));
  }
}
