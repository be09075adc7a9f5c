import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { maxJsonDepth } from "./json.ts";
import { parseJson, parseJsonObject } from "./parse-json.ts";

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

describe("parseJson", () => {
  test("parseJson reads the output of JSON.stringify", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const parsed = parseJson(JSON.stringify(value));
        if (parsed.ok) assert.deepEqual(parsed.value, JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("parseJson rejects prototype keys at any depth and in any spelling", () => {
    for (const key of ["__proto__", "constructor", "\\u005f_proto__"]) {
      assert.equal(parseJson(`{"${key}":1}`).ok, false);
      assert.equal(parseJson(`[{"a":{"${key}":{}}}]`).ok, false);
    }
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });

  test("parseJson limits the depth without running out of stack", () => {
    assert.equal(parseJson(nested(maxJsonDepth)).ok, true);
    assert.equal(parseJson(nested(maxJsonDepth + 1)).ok, false);
    assert.equal(parseJson(nested(1_000_000)).ok, false);
  });

  test("parseJson rejects other values where an object is needed", () => {
    for (const text of ["[]", "null", "1", '"a"', "", "{"]) assert.equal(parseJsonObject(text).ok, false);
    assert.deepEqual(parseJsonObject('{"a":1}'), { ok: true, value: { a: 1 } });
  });
});
