import { compareValues } from "../bson/compare.ts";
import { show } from "../bson/show.ts";
import { T } from "../bson/types.ts";
import { date, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import type { Modifier } from "./modifier.ts";

/** Operators that replace or remove a value. */
export function set(operand: Value): Modifier {
  return { creates: true, change: () => operand };
}

export function unset(): Modifier {
  return { creates: false, ignoresBlockedPaths: true, change: () => undefined };
}

export function min(operand: Value): Modifier {
  return extreme(operand, -1);
}

export function max(operand: Value): Modifier {
  return extreme(operand, 1);
}

function extreme(operand: Value, sign: number): Modifier {
  return {
    creates: true,
    change: (current) => {
      if (current === undefined) return operand;
      return compareValues(operand, current) * sign > 0 ? operand : current;
    },
  };
}

export function currentDate(operand: Value, _field: string, nowMs: number): Modifier {
  const type = operand.type === T.document ? operand.value.get("$type") : undefined;
  if (type?.type === T.string && type.value === "timestamp")
    throw notSupported("$currentDate with a timestamp");
  const asDate = type?.type === T.string && type.value === "date";
  if (!asDate && operand.type !== T.boolean) {
    throw new StoreError("BadValue", `$currentDate needs true or { $type: 'date' }, not ${show(operand)}`);
  }
  return { ...set(date(nowMs)), alwaysCounts: true };
}
