import { nearestDouble } from "../bson/numbers.ts";
import { show } from "../bson/show.ts";
import { T } from "../bson/types.ts";
import { double, int32, int64, isNumber, type NumberValue, typeName, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import type { Modifier } from "./modifier.ts";

const maxInt64 = 2n ** 63n - 1n;

/** `$inc`. Keeps the wider of the two types; an int32 that overflows becomes an int64. */
export function increment(operand: Value, field: string): Modifier {
  if (!isNumber(operand)) {
    const problem = `Cannot increment with non-numeric argument: {${field}: ${show(operand)}}`;
    throw new StoreError("TypeMismatch", problem);
  }
  if (operand.type === T.decimal128) throw notSupported("$inc with a decimal");
  return {
    creates: true,
    change: (current) => {
      if (current === undefined) return operand;
      if (isNumber(current)) return add(current, operand, field);
      const problem = `Cannot apply $inc to a value of non-numeric type: the field '${field}' has type ${typeName(current)}`;
      throw new StoreError("TypeMismatch", problem);
    },
  };
}

/** The sum in the wider of the two types, as in `$inc` and `$sum`. */
export function add(a: NumberValue, b: NumberValue, field: string): Value {
  if (a.type === T.decimal128 || b.type === T.decimal128) throw notSupported("Arithmetic with a decimal");
  if (a.type === T.double || b.type === T.double) return double(nearestDouble(a) + nearestDouble(b));
  const sum = BigInt(a.value) + BigInt(b.value);
  if (sum > maxInt64 || sum < -maxInt64 - 1n) {
    throw new StoreError(
      "BadValue",
      `Failed to apply $inc to '${field}': the result does not fit into a long`,
    );
  }
  const small = a.type === T.int32 && b.type === T.int32 && sum === BigInt.asIntN(32, sum);
  return small ? int32(Number(sum)) : int64(sum);
}
