import { compareValues } from "../bson/compare.ts";
import { T } from "../bson/types.ts";
import { isNumber, type Value } from "../bson/value.ts";
import { conjuncts, type Expression, type Predicate } from "./conjuncts.ts";

/**
 * Whether every document that satisfies all `conditions` also satisfies `filter` (of a partial index). May
 * return false negatives: then the index is not used, which is slower but never wrong.
 */
export function implies(conditions: readonly Expression[], filter: Expression): boolean {
  return conjuncts(filter).every((wanted) => conditions.some((given) => impliesOne(given, wanted)));
}

function impliesOne(given: Expression, wanted: Expression): boolean {
  if (given.kind !== "test" || wanted.kind !== "test" || given.field !== wanted.field) return false;
  const have = given.predicate;
  const need = wanted.predicate;
  if (have.operator === need.operator && compareValues(have.operand, need.operand) === 0) return true;
  if (need.operator === "$exists") return impliesExistence(have);
  return have.bounds?.kind === "points" && have.bounds.values.every((value) => pointImplies(value, need));
}

function impliesExistence(have: Predicate): boolean {
  if (have.bounds?.kind === "points") return have.bounds.values.every((value) => value.type !== T.null);
  if (have.bounds?.kind === "range") return have.operand.type !== T.null;
  return ["$type", "$size", "$elemMatch"].includes(have.operator);
}

// An element equals the value, so it passes the test. Null may represent a missing field.
function pointImplies(value: Value, need: Predicate): boolean {
  // Numbers of other types can equal this one.
  if (need.operator === "$type" && isNumber(value)) return false;
  return !need.whole && value.type !== T.null && value.type !== T.array && need.test(value);
}
