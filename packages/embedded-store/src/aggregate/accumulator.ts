import type { Value } from "../bson/value.ts";

/** Accumulates one field of one group. */
export interface Accumulator {
  add(value: Value | undefined): void;
  result(): Value;
}
