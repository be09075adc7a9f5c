import { compareValues } from "../bson/compare.ts";
import type { Value } from "../bson/value.ts";
import type { Modifier } from "./modifier.ts";

/** Operators that replace or remove a value. */
export function set(operand: Value): Modifier {
  return { creates: true, change: () => operand };
}

export function unset(): Modifier {
  return { creates: false, ignoresBlockedPaths: true, change: () => undefined };
}

export function min(operand: Value): Modifier {
  return {
    creates: true,
    change: (current) => (current === undefined || compareValues(operand, current) < 0 ? operand : current),
  };
}
