import type { Context } from "./context.ts";
import { quote } from "./diagnostics.ts";
import type { JsonSchema, JsonValue } from "./json.ts";
import { isName, nameHint } from "./names.ts";
import { listOf, object, optional, required, wrongType } from "./readers.ts";
import type { MapNode, SyntaxNode } from "./syntax.ts";
import { arrayOf, described, type ResolvedType, typeUse } from "./types.ts";
import { flag, json, nonEmptyText, oneOf, text } from "./value-readers.ts";

/** Reads one entry of `types`: an object of properties, an array or a union. */
export function readTypeDefinition(node: SyntaxNode, context: Context): ResolvedType | undefined {
  if (node.kind !== "map") return wrongType(node, context, "a map of properties, an array or an anyOf");
  if (node.entries.get("anyOf")?.value.kind === "list") return readUnion(node, context);
  if (isArrayNode(node)) return readArray(node, context);
  return readObject(node, context);
}

/** Both forms: `type: array` is an array, `type: {type: …}` a property called type. */
function isArrayNode(node: MapNode): boolean {
  const type = node.entries.get("type")?.value;
  return type?.kind === "scalar" && type.value === "array";
}

const arrayForm = object({
  type: required(oneOf("array")),
  items: required(object({ type: required(typeUse), description: optional(text) })),
  description: optional(text),
});

function readArray(node: SyntaxNode, context: Context): ResolvedType | undefined {
  const form = arrayForm(node, context);
  if (form === undefined) return undefined;
  const { resolved } = arrayOf({ ref: form.items.type.ref, resolved: form.items.type.resolved });
  return { ...resolved, shape: "array", schema: described(resolved.schema, form.description) };
}

const propertyForm = object({
  type: required(typeUse),
  description: optional(text),
  optional: optional(flag),
  enum: optional(listOf(json, "values")),
  const: optional(json),
});

const arrayPropertyForm = object({
  type: required(oneOf("array")),
  items: required(object({ type: required(typeUse), description: optional(text) })),
  description: optional(text),
  optional: optional(flag),
});

interface Property {
  readonly schema: JsonSchema;
  readonly optional: boolean;
  readonly nodes: number;
  readonly depth: number;
}

function readObject(node: MapNode, context: Context): ResolvedType | undefined {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  let [nodes, depth, complete] = [1, 0, true];
  for (const [name, { key, value }] of node.entries) {
    const valid = isName("property", name);
    if (!valid)
      context.report.add("INVALID_NAME", key, `The property ${quote(name)} must be ${nameHint("property")}.`);
    const property = readProperty(value, context);
    complete &&= valid && property !== undefined;
    if (property === undefined || !valid) continue;
    properties[name] = property.schema;
    if (!property.optional) required.push(name);
    nodes += property.nodes;
    depth = Math.max(depth, property.depth);
  }
  if (!complete) return undefined;
  const schema = { type: "object", properties, required, additionalProperties: false };
  return { shape: "object", schema, nodes, depth: depth + 1 };
}

function readProperty(node: SyntaxNode, context: Context): Property | undefined {
  if (node.kind === "map" && isArrayNode(node)) {
    const form = arrayPropertyForm(node, context);
    const resolved = form && arrayOf(form.items.type).resolved;
    return (
      resolved && {
        ...resolved,
        optional: form.optional ?? false,
        schema: described(resolved.schema, form.description),
      }
    );
  }
  const form = propertyForm(node, context);
  if (form === undefined) return undefined;
  const { type, description, enum: allowed, const: only } = form;
  const schema = described(
    {
      ...type.resolved.schema,
      ...(allowed && { enum: allowed }),
      ...(only !== undefined && { const: only }),
    },
    description,
  );
  return { schema, optional: form.optional ?? false, nodes: type.resolved.nodes, depth: type.resolved.depth };
}

const unionForm = object({
  anyOf: required(listOf(typeUse, "type names")),
  discriminator: required(nonEmptyText),
  description: optional(text),
});

function readUnion(node: SyntaxNode, context: Context): ResolvedType | undefined {
  const form = unionForm(node, context);
  if (form === undefined) return undefined;
  const tags = new Set<JsonValue>();
  for (const { resolved } of form.anyOf) {
    const tag = tagOf(resolved, form.discriminator);
    if (tag === undefined || tags.has(tag)) return refuseUnion(node, form.discriminator, context);
    tags.add(tag);
  }
  if (tags.size < 2) return refuseUnion(node, form.discriminator, context);
  const variants = form.anyOf.map(({ resolved }) => resolved);
  return {
    shape: "union",
    schema: described({ anyOf: variants.map(({ schema }) => schema) }, form.description),
    nodes: variants.reduce((sum, variant) => sum + variant.nodes, 1),
    depth: Math.max(...variants.map(({ depth }) => depth)) + 1,
  };
}

function refuseUnion(node: SyntaxNode, discriminator: string, { report }: Context): undefined {
  const text =
    `A union needs at least two object types, each with a required property ${quote(discriminator)} ` +
    "that has a const of its own.";
  report.add("INVALID_UNION", node, text);
  return undefined;
}

function tagOf({ schema, shape }: ResolvedType, discriminator: string): JsonValue | undefined {
  const { properties, required } = schema;
  if (shape !== "object" || !isObject(properties) || !Array.isArray(required)) return undefined;
  const property = Object.hasOwn(properties, discriminator) ? properties[discriminator] : undefined;
  const tag = required.includes(discriminator) && isObject(property) ? property.const : undefined;
  return typeof tag === "object" ? undefined : tag;
}

function isObject(value: JsonValue | undefined): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
