import type { StoredMessage } from "../engine/conversation/conversation.ts";

/**
 * The memory that a parsed message takes, in bytes, as measured with V8's heap: per value between 1 and 2 times as much.
 * The length of its JSON does not say: a text with one emoji takes twice as much, and `{}` twenty times.
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
  let weight: number = Array.isArray(value) ? weightOf.array : weightOf.object;
  const items: unknown[] = Array.isArray(value) ? value : Object.values(value);
  const isTable = !Array.isArray(value) && items.length > maxSharedMembers;
  for (const item of items) weight += (isTable ? weightOf.member : weightOf.slot) + weigh(item);
  return weight;
}

/** V8 stores a text with one byte for each character as long as all of them are Latin-1. */
function isOneByte(text: string): boolean {
  return !/[\u0100-\uffff]/.test(text);
}
