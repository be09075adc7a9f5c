import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { compareValues } from "../bson/compare.ts";
import { encodeDoc } from "../bson/encode.ts";
import { doc, type Plain, type PlainFields } from "../bson/plain.ts";
import { Doc, document } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { parseUpdate } from "./parse.ts";

/*
 * Updates of random documents against a model that works on plain JavaScript values: slow, naive, and written
 * independently of the operators.
 */

type Json = number | string | null | Json[] | { [name: string]: Json };

const leaf = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom("x", "y", null));
const value: fc.Arbitrary<Json> = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom("a", "b"), fc.oneof(leaf, fc.array(leaf, { maxLength: 2 })), { maxKeys: 2 }),
);
const anyDocument = fc.dictionary(fc.constantFrom("a", "b", "c"), value, { maxKeys: 3 });
const path = fc.constantFrom("a", "b", "c", "a.a", "a.b", "a.a.b");
const operation = fc.oneof(
  fc.record({ operator: fc.constant("$set"), path, operand: value }),
  fc.record({ operator: fc.constant("$unset"), path, operand: fc.constant("") }),
  fc.record({
    operator: fc.constantFrom("$inc", "$min"),
    path,
    operand: fc.integer({ min: -2, max: 2 }),
  }),
  fc.record({ operator: fc.constantFrom("$push", "$pull"), path, operand: leaf }),
);

class Refused extends Error {}

/** The model: the effect of one operator on the value at its path (undefined: missing). */
function changed(operator: string, current: Json | undefined, operand: Json): Json | undefined {
  const list = (): Json[] => {
    if (current !== undefined && !Array.isArray(current)) throw new Refused();
    return current ?? [];
  };
  if (operator === "$set") return operand;
  if (operator === "$unset") return undefined;
  if (operator === "$push") return [...list(), operand];
  if (operator === "$pull")
    return current === undefined ? undefined : list().filter((item) => item !== operand);
  if (current === undefined) return operand;
  if (operator === "$inc") {
    if (typeof current !== "number") throw new Refused();
    return current + Number(operand);
  }
  const order = compareValues(document(doc({ v: current })), document(doc({ v: operand })));
  return order > 0 ? operand : current;
}

function apply(target: Json, parts: readonly string[], operator: string, operand: Json): Json {
  const [name = "", ...rest] = parts;
  if (typeof target !== "object" || target === null || Array.isArray(target))
    return refuseUnlessUnset(operator, target);
  const next = step(target[name], rest, operator, operand);
  const { [name]: _old, ...others } = target;
  if (next === undefined) return others;
  return name in target ? { ...target, [name]: next } : { ...others, [name]: next };
}

function step(current: Json | undefined, rest: string[], operator: string, operand: Json): Json | undefined {
  if (rest.length === 0) return changed(operator, current, operand);
  if (current !== undefined) return apply(current, rest, operator, operand);
  return operator === "$unset" || operator === "$pull" ? undefined : apply({}, rest, operator, operand);
}

// Only $unset ignores a path that a scalar or an array blocks.
function refuseUnlessUnset(operator: string, target: Json): Json {
  if (operator !== "$unset") throw new Refused();
  return target;
}

const numRuns = 500 * Number(process.env.LONG_RUN ?? 1);

test("an update operator changes a random document like the model, or both refuse", () => {
  let refusals = 0;
  fc.assert(
    fc.property(anyDocument, operation, (before, { operator, path, operand }) => {
      const update = parseUpdate(document(doc({ [operator]: { [path]: operand } })));
      assert.ok(update.kind === "operators");
      const expected = attempt(() => apply(before, path.split("."), operator, operand));
      const actual = attempt(() => update.apply(Doc.fromRaw(encodeDoc(doc(before))), false));
      if (expected === undefined) refusals++;
      assert.equal(actual === undefined, expected === undefined, "both refuse or neither");
      if (actual && isFields(expected)) assert.deepEqual(encodeDoc(actual), encodeDoc(doc(expected)));
    }),
    { numRuns },
  );
  assert.ok(refusals > numRuns / 10, `only ${refusals} updates were refused`);
});

function isFields(value: Plain | undefined): value is PlainFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof StoreError || error instanceof Refused) return undefined;
    throw error;
  }
}
