import { nearestDouble } from "../bson/numbers.ts";
import { show } from "../bson/show.ts";
import { T } from "../bson/types.ts";
import { type Doc, isNumber, typeName, type Value } from "../bson/value.ts";
import { type ErrorName, StoreError } from "../errors.ts";
import { parseSort } from "../query/key-pattern.ts";
import type { KeyField } from "../query/keys.ts";

type DocumentStage = "$match" | "$sort" | "$project" | "$group";

const notDocuments: Readonly<Record<DocumentStage, ErrorName>> = {
  $match: "Location15959",
  $sort: "Location15973",
  $project: "Location15969",
  $group: "Location15947",
};

export function documentOf(stage: DocumentStage, operand: Value): Doc {
  if (operand.type === T.document) return operand.value;
  const problem = `The ${stage} stage needs an object, not ${typeName(operand)}`;
  throw new StoreError(notDocuments[stage], problem);
}

export function sortOf(operand: Value): KeyField[] {
  const sort = documentOf("$sort", operand);
  if (sort.size === 0) throw new StoreError("Location15976", "$sort stage must have at least one sort key");
  return parseSort(sort);
}

export function limitOf(operand: Value): number {
  const limit = wholeNumber("$limit", operand, "Location5107201");
  if (limit === 0) throw new StoreError("Location15958", "the limit must be positive");
  return limit;
}

export function skipOf(operand: Value): number {
  return wholeNumber("$skip", operand, "Location5107200");
}

function wholeNumber(stage: string, operand: Value, error: ErrorName): number {
  const number = isNumber(operand) ? nearestDouble(operand) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new StoreError(error, `${stage} needs a whole number that is not negative, not ${show(operand)}`);
}

/** The name of the field of a `$count` stage. */
export function countFieldOf(operand: Value): string {
  if (operand.type !== T.string)
    throw new StoreError("Location40156", "the count field must be a non-empty string");
  const name = operand.value;
  const problem = countFieldProblem(name);
  if (problem) throw new StoreError(problem, `'${name}' cannot be the name of the count field`);
  return name;
}

function countFieldProblem(name: string): ErrorName | undefined {
  if (name === "") return "Location40157";
  if (name.startsWith("$")) return "Location40158";
  if (name.includes("\0")) return "Location40159";
  if (name.includes(".")) return "Location40160";
  return name === "_id" ? "Location9039800" : undefined;
}
