import assert from "node:assert/strict";
import { test } from "vitest";
import { compile, errorsIn, prompts, protocol, settings } from "../test/support/support-chat.ts";
import { definitionLimits } from "./definition-limits.ts";
import { findOversize } from "./source.ts";

const reference = { name: "returns", description: "How goods are returned", content: "By post." };

for (const name of [
  "",
  "..",
  "../system",
  "a/../b",
  "/a",
  "a/",
  "a//b",
  "A",
  "a b",
  "a.md",
  "a\u0000",
  "__proto__",
  "x".repeat(201),
]) {
  test(`the name ${JSON.stringify(name)} is rejected for prompts and references`, () => {
    assert.deepEqual(errorsIn({ prompts: [...prompts, { name, content: "" }] }), [
      ["INVALID_NAME", "prompts.3.name"],
    ]);
    assert.deepEqual(errorsIn({ references: [{ ...reference, name }] }), [
      ["INVALID_NAME", "references.0.name"],
    ]);
  });
}

test("two prompts or references with the same name are rejected", () => {
  assert.deepEqual(errorsIn({ references: [reference, reference] }), [
    ["DUPLICATE_KEY", "references.1.name"],
  ]);
  const again = { name: "user", content: "" };
  assert.deepEqual(errorsIn({ prompts: [...prompts, again] }), [["DUPLICATE_PROMPT", "prompts.3.name"]]);
});

test("a reference without a description is rejected", () => {
  const silent = { ...reference, description: " \n" };
  assert.deepEqual(errorsIn({ references: [silent] }), [["MISSING_FIELD", "references.0.description"]]);
});

for (const [what, text] of Object.entries({
  "a zero byte": "a\u0000",
  "a control character": "a\u001b[2J",
  "half a character": "a\ud83d",
  "the other half of a character": "\udc4b",
})) {
  test(`${what} is rejected in every text`, () => {
    const texts = {
      "settings.name": { settings: { ...settings, name: text } },
      "settings.description": { settings: { ...settings, description: text } },
      "prompts.3.content": { prompts: [...prompts, { name: "more", content: text }] },
      "references.0.description": { references: [{ ...reference, description: text }] },
      "references.0.content": { references: [{ ...reference, content: text }] },
    };
    for (const [path, changes] of Object.entries(texts))
      assert.deepEqual(errorsIn(changes), [["INVALID_TEXT", path]]);
    assert.deepEqual(errorsIn({ protocol: `${protocol}# ${text}` }), [["INVALID_YAML", "protocol"]]);
  });
}

test("the agent's name must be a single line", () => {
  for (const [name, code] of [
    ["", "MISSING_FIELD"],
    [" \n", "MISSING_FIELD"],
    ["two\nlines", "INVALID_TEXT"],
    ["two\u2028lines", "INVALID_TEXT"],
    ["a\ttab", "INVALID_TEXT"],
  ] as const) {
    assert.deepEqual(errorsIn({ settings: { ...settings, name } }), [[code, "settings.name"]]);
  }
});

test("lengths are counted in characters, not in UTF-16 units", () => {
  const { nameLength, descriptionLength } = definitionLimits;
  for (const character of ["x", "ä", "😀"]) {
    const at = (length: number) => character.repeat(length);
    assert.deepEqual(errorsIn({ settings: { ...settings, name: at(nameLength) } }), []);
    assert.deepEqual(errorsIn({ settings: { ...settings, description: at(descriptionLength) } }), []);
    const long = {
      "settings.name": { settings: { ...settings, name: at(nameLength + 1) } },
      "settings.description": { settings: { ...settings, description: at(descriptionLength + 1) } },
      "references.0.description": {
        references: [{ ...reference, description: at(descriptionLength + 1) }],
      },
    };
    for (const [path, changes] of Object.entries(long))
      assert.deepEqual(errorsIn(changes), [["LIMIT_EXCEEDED", path]]);
  }
});

test("the message names a forbidden character and its position", () => {
  const { issues } = compile({ prompts: [...prompts, { name: "more", content: "one\r\ntwo\u0000" }] });
  assert.match(issues[0]?.message ?? "", /^Line 2, column 4: The character U\+0000/);
});

test("the message about a limit states the size and the limit", () => {
  const long = "x".repeat(64 * 1024 + 1);
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...reference, name: `n${index}` }));
  const cases = [
    ["protocol", { protocol: "x".repeat(128 * 1024 + 1) }, /has 131073 bytes; the limit is 131072/],
    ["prompts", { prompts: many(257) }, /has 257 prompts; the limit is 256/],
    ["prompts.0.content", { prompts: [{ name: "a", content: long }] }, /has 65537 bytes; the limit is 65536/],
    [
      "prompts",
      { prompts: many(17).map((each) => ({ ...each, content: long.slice(1) })) },
      /the limit is 1048576/,
    ],
    ["references", { references: many(257) }, /has 257 references; the limit is 256/],
    [
      "references.0.content",
      { references: [{ ...reference, content: "ä".repeat(128 * 1024 + 1) }] },
      /the limit is 262144/,
    ],
  ] as const;
  for (const [path, changes, message] of cases) {
    assert.deepEqual(errorsIn(changes), [["LIMIT_EXCEEDED", path]]);
    const problem = findOversize({ protocol, prompts, references: [], ...changes });
    assert.match(problem?.message ?? "", message);
  }
});
