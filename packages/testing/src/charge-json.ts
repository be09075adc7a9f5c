import { setImmediate } from "node:timers";
import type { TestScope } from "./scope.ts";

/** A millisecond, about as much as JSON with escapes takes on a busy machine. */
const charactersPerMs = 64 * 1024;

/** Shorter texts cost nothing. */
const chargedFrom = 16 * 1024;

export interface ChargedJson {
  /** The most that a tick of the main loop has been charged so far, in milliseconds. */
  longestMs(): number;
  /** The sum of all charges of all ticks. */
  totalMs(): number;
}

/**
 * Charges time for JSON of large texts, in this thread until the test ends: `performance.now` runs ahead by a millisecond for each
 * 64 Ki characters. So a test can see how the work spreads over ticks of the main loop, whatever the speed of the machine.
 */
export function chargeJson(scope: TestScope): ChargedJson {
  const { parse, stringify } = JSON;
  const now = performance.now.bind(performance);
  let totalMs = 0;
  let tickMs = 0;
  let longestMs = 0;
  const charge = ({ length }: string) => {
    if (length < chargedFrom) return;
    totalMs += length / charactersPerMs;
    tickMs += length / charactersPerMs;
    longestMs = Math.max(longestMs, tickMs);
  };
  const endTick = () => {
    tickMs = 0;
    marker = setImmediate(endTick);
  };
  let marker = setImmediate(endTick);
  performance.now = () => now() + totalMs;
  JSON.parse = (text: string, ...rest: never[]) => {
    charge(text);
    return parse(text, ...rest);
  };
  JSON.stringify = (value: unknown, ...rest: never[]) => {
    const text = stringify(value, ...rest);
    if (typeof text === "string") charge(text);
    return text;
  };
  scope.onTestFinished(() => {
    clearImmediate(marker);
    Object.assign(JSON, { parse, stringify });
    Reflect.deleteProperty(performance, "now");
  });
  return { longestMs: () => longestMs, totalMs: () => totalMs };
}
