import assert from "node:assert/strict";
import { Type as TypeBox } from "typebox";
import { expectTypeOf, test } from "vitest";
import { type Static, Type } from "./index.ts";

/** Everything about a schema, also what is not part of its JSON. */
function described(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const properties = Object.entries(Object.getOwnPropertyDescriptors(value));
  // The order of the contents is that of the JSON.
  return properties.map(([key, { enumerable, value }]) => [key, enumerable, described(value)]).toSorted();
}

const options = { description: "A value.", title: "Value" };

/** The same schemas, made by either. */
function examples(type: typeof TypeBox | typeof Type): Record<string, unknown> {
  const make = type as typeof Type;
  const text = make.String({ minLength: 1, format: "date-time" });
  const choice = make.Enum(["a", "b"], options);
  const record = make.Record(make.String(), choice, options);
  const object = make.Object({
    text,
    maybe: make.Optional(make.Array(text, { maxItems: 2 })),
    constructor: make.Optional(make.Null(options)),
    literal: make.Literal(true, options),
  });
  return {
    text,
    choice,
    record,
    object,
    empty: make.Object({}, { additionalProperties: false }),
    allOptional: make.Object({ a: make.Optional(make.Number()) }, options),
    union: make.Union([make.Literal("a"), make.Literal(1), make.Integer({ minimum: 0 })], options),
    unknown: make.Unknown(options),
    boolean: make.Boolean(options),
    unsafe: make.Unsafe<{ a: string }>({ ...options, oneOf: [text] }),
    unsafeObject: make.Unsafe<{ a: string }>(object),
    optionalTwice: make.Optional(make.Optional(text)),
    optionalUnsafe: make.Optional(make.Unsafe<{ a: string }>(options)),
    spread: { ...object, additionalProperties: false },
  };
}

test("each builder makes the schema that TypeBox makes", () => {
  const [ours, theirs] = [examples(Type), examples(TypeBox)];
  assert.deepEqual(Object.keys(ours), Object.keys(theirs));
  for (const [name, schema] of Object.entries(theirs)) {
    assert.equal(JSON.stringify(ours[name]), JSON.stringify(schema), name);
    assert.deepEqual(described(ours[name]), described(schema), name);
  }
});

test("a schema is not changed when it becomes optional", () => {
  const text = Type.String();
  assert.deepEqual(Type.Object({ text: Type.Optional(text) }).required, undefined);
  assert.deepEqual(Type.Object({ text }).required, ["text"]);
});

test("static types are those of TypeBox", () => {
  const schema = Type.Object({
    text: Type.String(),
    choice: Type.Enum(["a", "b"]),
    literal: Type.Literal("x"),
    maybe: Type.Optional(Type.Array(Type.Integer())),
    either: Type.Union([Type.Null(), Type.Boolean()]),
    any: Type.Unknown(),
    named: Type.Unsafe<Map<string, string>>({}),
    record: Type.Record(Type.String(), Type.Number()),
  });
  expectTypeOf<Static<typeof schema>>().toEqualTypeOf<{
    text: string;
    choice: "a" | "b";
    literal: "x";
    maybe?: number[];
    either: null | boolean;
    any: unknown;
    named: Map<string, string>;
    record: Record<string, number>;
  }>();
});
