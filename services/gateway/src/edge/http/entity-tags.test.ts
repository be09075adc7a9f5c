import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { isNamedBy, readIfMatch } from "./conditions.ts";

describe("entity tags", () => {
  for (const [header, expected] of [
    ['"1"', ['"1"']],
    [' "1" ', ['"1"']],
    ['"1", W/"2","é"', ['"1"', 'W/"2"', '"é"']],
    [', "1",, "2",', ['"1"', '"2"']],
    ['"a,b", ""', ['"a,b"', '""']],
    ["*", "*"],
    ["", undefined],
    [",", undefined],
    ["1", undefined],
    ['"1', undefined],
    ['"1" "2"', undefined],
    ['"1"W/"2"', undefined],
    ['*, "1"', undefined],
    ['w/"1"', undefined],
    ['"a b"', undefined],
  ] as const) {
    test(`If-Match: ${header} names ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(readIfMatch(header), expected);
    });
  }

  test("If-None-Match ignores weakness, and malformed tags match nothing", () => {
    for (const header of ['"1"', 'W/"1"', '"0", W/"1"', "*", 'x "1"'])
      assert.ok(isNamedBy(header, '"1"'), header);
    for (const header of [undefined, "", "1", '"2"', 'W/"2"', '"11"', '"1', "W/*"])
      assert.ok(!isNamedBy(header, '"1"'), header);
  });

  test("If-Match headers of any length are read quickly", () => {
    // Trying every way to split such a header would outlast the test's timeout.
    for (const piece of ['"', "W/", ",", ' ,"', '"",', 'W/"" ', '" "']) {
      const header = piece.repeat(16_384 / piece.length);
      readIfMatch(header);
      readIfMatch(`${header}x`);
      isNamedBy(header, '"1"');
    }
  });
});
