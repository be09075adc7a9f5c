import type { Value } from "../bson/value.ts";
import type { Path, ValueTest } from "./path.ts";

/** Bounds on the values that a predicate accepts, used to choose an index. */
export type Bounds =
  | { readonly kind: "points"; readonly values: readonly Value[] }
  | {
      readonly kind: "range";
      readonly side: "low" | "high";
      readonly value: Value;
      readonly inclusive: boolean;
    };

/** One operator with its operand, for example `$gt: 5`. */
export interface Predicate {
  readonly operator: string;
  readonly operand: Value;
  /** Tests an array only as a whole (`$size`), not by its elements. */
  readonly whole: boolean;
  readonly test: ValueTest;
  readonly bounds?: Bounds;
}

/** A parsed filter. */
export type Expression =
  | { readonly kind: "and" | "or"; readonly parts: readonly Expression[] }
  | { readonly kind: "not"; readonly part: Expression }
  | { readonly kind: "test"; readonly field: string; readonly path: Path; readonly predicate: Predicate };

/** The conditions that must all be true, with nested `$and`s flattened. */
export function conjuncts(expression: Expression): readonly Expression[] {
  return expression.kind === "and" ? expression.parts.flatMap(conjuncts) : [expression];
}
