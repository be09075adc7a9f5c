import type { Context } from "../context.ts";
import { type Place, quote } from "../diagnostics.ts";
import { reportUnknownKeys } from "../readers/fields.ts";
import { listOf, type Reader, reader, wrongType } from "../readers/readers.ts";
import { integer, json, oneOf } from "../readers/value-readers.ts";
import { forbiddenKeys, type JsonObject, type JsonValue } from "../values/json.ts";
import { isNull, type MapNode, type SyntaxNode } from "../yaml/syntax.ts";

/**
 * Reads a JSON Schema of arguments. It has only keywords that `checkValue` knows: an ignored one would make a rule
 * apply to other calls than its author means.
 */
export const argumentSchema: Reader<JsonObject> = reader(
  { kind: "map", values: { kind: "json" } },
  (node, context) => {
    if (node.kind !== "map")
      return wrongType(node, context, "a JSON Schema, such as properties: { amount: { minimum: 100 } }");
    reportUnknownKeys(node, keywords, context);
    return readEntries(node, context, (keyword) =>
      Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined,
    );
  },
);

/** Undefined if an entry has no reader or a wrong value. */
function readEntries(
  node: MapNode,
  context: Context,
  readerOf: (name: string, key: Place) => Reader<JsonValue> | undefined,
): JsonObject | undefined {
  const read = [...node.entries].map(([name, { key, value }]) => [
    name,
    readerOf(name, key)?.read(value, context),
  ]);
  return read.every(([, value]) => value !== undefined) ? Object.fromEntries(read) : undefined;
}

const typeNames = oneOf("string", "number", "integer", "boolean", "object", "array", "null");
/** Without quotes, YAML reads `null` as no value. */
const typeName: Reader<string> = reader(typeNames.shape, (node, context) =>
  isNull(node) ? "null" : typeNames.read(node, context),
);
const types = someOf(typeName, "types");

const type: Reader<JsonValue> = reader(
  { kind: "anyOf", shapes: [typeName.shape, types.shape] },
  (node, context) => (node.kind === "list" ? types.read(node, context) : typeName.read(node, context)),
);

const properties: Reader<JsonObject> = reader(
  { kind: "map", values: argumentSchema.shape },
  (node, context) => {
    if (node.kind !== "map") return wrongType(node, context, "a map from names to JSON Schemas");
    return readEntries(node, context, (name, key) => {
      if (!forbiddenKeys.has(name)) return argumentSchema;
      context.report.add("INVALID_NAME", key, `The key ${quote(name)} is not allowed.`);
      return undefined;
    });
  },
);

const name: Reader<string> = reader({ kind: "text", nonEmpty: true }, (node, context) =>
  node.kind === "scalar" && typeof node.value === "string" ? node.value : wrongType(node, context, "a name"),
);

const limit: Reader<number> = reader({ kind: "json" }, (node, context) =>
  node.kind === "scalar" && typeof node.value === "number" && Number.isFinite(node.value)
    ? node.value
    : wrongType(node, context, "a number"),
);
const size = integer(0, 1_000_000_000);
const schemas = someOf(argumentSchema, "JSON Schemas");

const keywords: Readonly<Record<string, Reader<JsonValue>>> = {
  type,
  properties,
  required: listOf(name, "names"),
  enum: someOf(json, "values"),
  const: json,
  minimum: limit,
  maximum: limit,
  exclusiveMinimum: limit,
  exclusiveMaximum: limit,
  minLength: size,
  maxLength: size,
  minItems: size,
  maxItems: size,
  items: argumentSchema,
  anyOf: schemas,
  allOf: schemas,
  oneOf: schemas,
  not: argumentSchema,
};

/** An empty list would match no call, or all. */
function someOf<T>(item: Reader<T>, what: string): Reader<T[]> {
  const list = listOf(item, what);
  return reader(list.shape, (node, context) =>
    node.kind === "list" && node.items.length === 0
      ? wrongType(node, context, `a list of ${what} with at least one entry`)
      : list.read(node, context),
  );
}

/** The parameters that a schema of arguments names, with their places. */
export function* namedParameters(schema: SyntaxNode): Generator<{ name: string; place: Place }> {
  if (schema.kind !== "map") return;
  for (const [keyword, { value }] of schema.entries) {
    if (keyword === "not") yield* namedParameters(value);
    if (keyword === "properties" && value.kind === "map")
      for (const [name, { key }] of value.entries) yield { name, place: key };
    if (value.kind !== "list" || keyword === "enum") continue;
    for (const item of value.items) {
      if (keyword !== "required") yield* namedParameters(item);
      else if (item.kind === "scalar") yield { name: String(item.value), place: item };
    }
  }
}
