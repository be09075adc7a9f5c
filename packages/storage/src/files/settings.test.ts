import assert from "node:assert/strict";
import { test } from "vitest";
import { defaultFileRules, requestBytesOf } from "./limits.ts";
import { readFileRules } from "./settings.ts";

test("an operator adds media types to the usual ones, and sets the largest size", () => {
  assert.deepEqual(readFileRules({}), defaultFileRules);
  const rules = readFileRules({
    FILES_MEDIA_TYPES: "text/csv, application/vnd.ms-excel,text/plain",
    FILES_MAX_BYTES: "80000000",
  });
  assert.deepEqual(rules, {
    mediaTypes: [...defaultFileRules.mediaTypes, "text/csv", "application/vnd.ms-excel"],
    maxBytes: 80_000_000,
  });
  assert.deepEqual([defaultFileRules, rules].map(requestBytesOf), [50_000_000, 80_000_000]);
});

for (const [name, wrong] of [
  ["FILES_MEDIA_TYPES", "csv"],
  ["FILES_MEDIA_TYPES", "text/*"],
  ["FILES_MEDIA_TYPES", "Text/CSV"],
  ["FILES_MEDIA_TYPES", "text/csv; charset=utf-8"],
  ["FILES_MAX_BYTES", "0"],
  ["FILES_MAX_BYTES", "10 MB"],
  ["FILES_MAX_BYTES", "1000000001"],
] as const) {
  test(`${name} refuses ${wrong}`, () => {
    assert.throws(() => readFileRules({ [name]: wrong }), new RegExp(`^ConfigError: ${name} `));
  });
}
