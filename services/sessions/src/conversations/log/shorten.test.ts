import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { shorten, shortenMessages, shortenText } from "./shorten.ts";

describe("values in a log", () => {
  test("a value that fits stays unchanged, except for the data that providers expect back", () => {
    const value = { a: [1, true, null, "x"], b: { c: "d" } };
    assert.deepEqual(shorten(value), value);
    assert.deepEqual(shorten({ text: "Hi", providerOptions: { signature: "…" }, none: undefined }), {
      text: "Hi",
    });
  });

  test("a large value becomes small whatever its shape, and says what is missing", () => {
    const text = "x".repeat(1_000_000);
    const list = Array.from({ length: 100_000 }, () => "item");
    const object = Object.fromEntries(list.map((item, index) => [`${item}${index}`, item]));
    for (const value of [text, list, object, { a: { b: [text, text] } }, [list, object]]) {
      const json = JSON.stringify(shorten(value, 1_000));
      assert.ok(json.length < 2_000, `${json.length}`);
      assert.match(json, /omitted …/);
    }
  });

  test("the shortened copy of any JSON value is bounded, and equals the value if that is small", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const json = JSON.stringify(value);
        if (json.length < 500 && !json.includes("provider")) {
          assert.equal(JSON.stringify(shorten(value, 5_000)), json);
        }
        assert.ok(JSON.stringify(shorten(value, 100)).length < 5_000);
      }),
    );
  });

  test("a text is cut without breaking a character in two", () => {
    assert.ok(shortenText("😀".repeat(10), 5).isWellFormed());
    assert.equal(shortenText("abc", 3), "abc");
    assert.equal(shortenText("abcd", 3), "abc[… 1 character omitted …]");
  });

  test("a long prompt keeps its system messages and its newest messages", () => {
    const message = (role: string, content: string) => ({ role, content });
    const talk = Array.from({ length: 1_000 }, (_, index) => message("user", `message ${index}`));
    const kept = JSON.stringify(shortenMessages([message("system", "Be kind."), ...talk], 500));
    assert.match(kept, /^\[\{"role":"system","content":"Be kind\."\},"\[… \d+ messages omitted …\]",/);
    assert.match(kept, /message 999"\}\]$/);
    assert.doesNotMatch(kept, /message 0"/);
    assert.deepEqual(shortenMessages([message("system", "Be kind.")], 500), [message("system", "Be kind.")]);
  });
});
