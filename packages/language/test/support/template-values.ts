import fc from "fast-check";
import type { JsonValue } from "../../src/values/json.ts";

/** A value with its expected text. */
export interface ModelValue {
  value: JsonValue | undefined;
  text: string;
  falsy: boolean;
}

const tags = [
  "{{A}}",
  "{{USER_MESSAGE}}",
  "{{@p0}}",
  "{{@secret.md}}",
  "{{#if A}}",
  "{{#if !A}}",
  '{{#if A == "x"}}',
  "{{else}}",
  "{{else if B}}",
  "{{/if}}",
  "{{",
  "}}",
  "$&",
  "$1",
  "$`",
  "$$",
  "\\",
  "\u2028",
  "\u0000",
  "NONE",
];

const hostileText = fc.oneof(
  fc
    .array(fc.oneof(fc.constantFrom(...tags), fc.string({ unit: "binary" })), { maxLength: 6 })
    .map((parts) => parts.join("")),
  fc.constantFrom(...tags).map((tag) => tag.repeat(5_000)),
  fc.constantFrom("", "0", "false", "x"),
);

const hostileKey = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "prototype", "toString", "toJSON", "length"),
  hostileText,
);

/** Objects as `JSON.parse` returns them, with `__proto__` as an ordinary key. */
const hostileObject = fc
  .array(fc.tuple(hostileKey, fc.oneof(hostileText, fc.jsonValue())), { maxLength: 4 })
  .map((entries) => {
    const pairs = entries.map(([key, item]) => `${JSON.stringify(key)}:${JSON.stringify(item)}`);
    const value: JsonValue = JSON.parse(`{${pairs.join(",")}}`);
    return value;
  });

export const modelValues: fc.Arbitrary<ModelValue> = fc.oneof(
  { arbitrary: hostileText.map(stringValue), weight: 4 },
  fc.constantFrom(
    { value: null, text: "NONE", falsy: true },
    { value: undefined, text: "NONE", falsy: true },
    { value: false, text: "false", falsy: true },
    { value: true, text: "true", falsy: false },
    { value: 0, text: "0", falsy: true },
    { value: -0, text: "0", falsy: true },
    { value: 1.5, text: "1.5", falsy: false },
    { value: [], text: "[]", falsy: false },
    { value: {}, text: "{}", falsy: false },
  ),
  hostileObject.map((value) => ({ value, text: JSON.stringify(value), falsy: false })),
  fc
    .array(hostileText, { maxLength: 3 })
    .map((value) => ({ value, text: JSON.stringify(value), falsy: false })),
);

export function stringValue(text: string): ModelValue {
  return { value: text, text, falsy: text === "" || text === "0" || text === "false" };
}
