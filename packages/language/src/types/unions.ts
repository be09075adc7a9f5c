import type { Context } from "../context.ts";
import { quote } from "../diagnostics.ts";
import { object, optional, required } from "../readers/fields.ts";
import { listOf, made, type Reader } from "../readers/readers.ts";
import { nonEmptyText, text } from "../readers/value-readers.ts";
import { isJsonObject, type JsonValue } from "../values/json.ts";
import type { SyntaxNode } from "../yaml/syntax.ts";
import { described, type ResolvedType, type TypeUse } from "./resolve-type.ts";
import { typeUse } from "./type-use.ts";

const form = object({
  anyOf: required(listOf(typeUse, "type names"), "The object types; a value matches one of them."),
  discriminator: required(
    nonEmptyText,
    "The property that distinguishes them; each type has its own const for it.",
  ),
  description: optional(text, "What the union means."),
});

/** Reads `{anyOf: [A, B], discriminator: field}`. */
export const unionType: Reader<ResolvedType> = made(
  form,
  ({ anyOf, discriminator, description }, node, context) => {
    const problem = problemOf(anyOf, discriminator);
    if (problem !== undefined) return refuseUnion(node, discriminator, problem, context);
    const variants = anyOf.map(({ resolved }) => resolved);
    return {
      shape: "union",
      schema: described({ anyOf: variants.map(({ schema }) => schema) }, description),
      nodes: variants.reduce((sum, variant) => sum + variant.nodes, 1),
      depth: Math.max(...variants.map(({ depth }) => depth)) + 1,
    };
  },
);

function refuseUnion(
  node: SyntaxNode,
  discriminator: string,
  problem: string,
  { report }: Context,
): undefined {
  const text =
    `A union needs at least two object types, each with a required property ${quote(discriminator)} ` +
    `that has its own const: ${problem}.`;
  report.add("INVALID_UNION", node, text);
  return undefined;
}

function problemOf(variants: readonly TypeUse[], discriminator: string): string | undefined {
  const tags = new Map<JsonValue, string>();
  for (const { ref, resolved } of variants) {
    const name = quote(ref.kind === "custom" ? ref.name : ref.kind);
    const tag = tagOf(resolved, discriminator);
    if (tag === undefined) return `${name} has none`;
    const other = tags.get(tag);
    if (other !== undefined) return `${other} and ${name} have the same one`;
    tags.set(tag, name);
  }
  return tags.size < 2 ? `this union has ${tags.size}` : undefined;
}

function tagOf({ schema, shape }: ResolvedType, discriminator: string): JsonValue | undefined {
  const { properties, required } = schema;
  if (shape !== "object" || !isJsonObject(properties) || !Array.isArray(required)) return undefined;
  const property = Object.hasOwn(properties, discriminator) ? properties[discriminator] : undefined;
  const tag = required.includes(discriminator) && isJsonObject(property) ? property.const : undefined;
  return typeof tag === "object" ? undefined : tag;
}
