import type { StoredMessage } from "@muster/engine";
import { keptText } from "../../store/state-text.ts";

/**
 * The memory that a parsed message takes, in bytes, as measured with V8's heap: per value between 1 and 2 times as
 * much. The length of its JSON does not show it:
 */
const weightOf = { string: 24, array: 40, object: 56, slot: 8, member: 90, memo: 48 } as const;

/** Objects with more members are stored as hash tables, with their keys. */
const maxSharedMembers = 16;

const known = new WeakMap<StoredMessage, number>();

/** Messages that are in memory never change, so that each is weighed once. */
export function heapWeight(message: StoredMessage): number {
  let weight = known.get(message);
  if (weight === undefined) {
    weight = weightOf.memo + weigh(message);
    known.set(message, weight);
  }
  return weight;
}

function weigh(value: unknown): number {
  if (typeof value === "string") return weightOf.string + value.length * (isOneByte(value) ? 1 : 2);
  if (typeof value !== "object" || value === null) return weightOf.slot;
  const text = keptText(value);
  let weight = text === undefined ? 0 : weigh(text);
  if (Array.isArray(value)) {
    for (const item of value) weight += weightOf.slot + weigh(item);
    return weight + weightOf.array;
  }
  let members = 0;
  // `in`, not Object.values: a list of all members takes longer than weighing them.
  for (const key in value) {
    members += 1;
    weight += weigh(Reflect.get(value, key));
  }
  return weight + weightOf.object + members * (members > maxSharedMembers ? weightOf.member : weightOf.slot);
}

/** V8 stores a text with one byte for each character as long as all of them are Latin-1. */
function isOneByte(text: string): boolean {
  return !/[\u0100-\uffff]/.test(text);
}
