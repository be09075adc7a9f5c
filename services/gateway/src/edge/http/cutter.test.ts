import assert from "node:assert/strict";
import { Type } from "@muster/wire/schema";
import { test } from "vitest";
import { cutterOf } from "./schema-compilers.ts";

const names = Type.Array(Type.String(), { maxItems: 2 });
const schema = Type.Object({
  files: Type.Array(Type.Object({ names: Type.Optional(names) }), { maxItems: 3 }),
  free: Type.Optional(Type.Array(Type.String())),
});

test("lists that are too long are cut to one item more than their schema allows, at every level", () => {
  const value = {
    files: [{ names: ["a", "b", "c", "d"] }, 1, 2, 3, 4],
    free: ["a", "b", "c"],
    other: [1, 2, 3, 4],
  };
  cutterOf(schema)?.(value);
  assert.deepEqual(value, {
    files: [{ names: ["a", "b", "c"] }, 1, 2, 3],
    free: ["a", "b", "c"],
    other: [1, 2, 3, 4],
  });
});

test("values of other types are left to the schema", () => {
  for (const value of [null, 1, [1], { files: "abcdef" }, { files: { length: 9 } }]) {
    const copy = structuredClone(value);
    cutterOf(schema)?.(copy);
    assert.deepEqual(copy, value);
  }
});

test("a schema without bounded lists costs nothing", () => {
  assert.equal(cutterOf(Type.Object({ name: Type.String(), free: Type.Array(Type.String()) })), undefined);
});
