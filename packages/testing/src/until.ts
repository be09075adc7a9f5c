import { setTimeout as delay } from "node:timers/promises";

type Condition = () => boolean | Promise<boolean>;

const firstPauseMs = 5;
const longestPauseMs = 50;

/**
 * Resolves once the condition is true. Rejects after `withinMs` with the clause, such as "the event arrives", or else
 * with the source of the condition. The default of a minute is for failures only. Pauses are counted and not time, so that
 * a condition is checked as often on a busy machine as on an idle one.
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
  let waitedMs = 0;
  while (!(await condition())) {
    if (waitedMs > withinMs) throw new Error(`Waited ${withinMs} ms in vain until ${clauseOrCondition}`);
    // A condition that is a request would keep both sides busy for as long as it is false.
    const pauseMs = Math.min(longestPauseMs, firstPauseMs + waitedMs / 10);
    await delay(pauseMs);
    waitedMs += pauseMs;
  }
}
