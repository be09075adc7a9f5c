import { nearestDouble } from "../bson/numbers.ts";
import { show } from "../bson/show.ts";
import { T } from "../bson/types.ts";
import { type Doc, isNumber, typeName, type Value } from "../bson/value.ts";
import { StoreError } from "../errors.ts";

export function documentOf(stage: string, operand: Value): Doc {
  if (operand.type === T.document) return operand.value;
  throw new StoreError("FailedToParse", `The ${stage} stage needs an object, not ${typeName(operand)}`);
}

export function positiveInteger(stage: string, operand: Value, least: number): number {
  const number = isNumber(operand) ? nearestDouble(operand) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new StoreError(
    "BadValue",
    `${stage} needs a whole number of at least ${least}, not ${show(operand)}`,
  );
}
