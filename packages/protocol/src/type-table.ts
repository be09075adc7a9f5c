import type { Context } from "./context.ts";
import type { Place } from "./diagnostics.ts";
import { quote, type Report } from "./diagnostics.ts";
import type { JsonSchema, JsonValue } from "./json.ts";
import { definitionLimits } from "./limits.ts";
import { isName, nameHint } from "./names.ts";
import {
  flag,
  json,
  listOf,
  nonEmptyText,
  object,
  oneOf,
  optional,
  required,
  text,
  wrongType,
} from "./readers.ts";
import type { MapEntry, MapNode, SyntaxNode } from "./syntax.ts";
import { arrayOf, type ResolvedType, type TypeTable, typeUse } from "./types.ts";

/**
 * Resolves custom types on demand, each once. They are written out where they are used (no `$ref`, which model
 * providers treat differently), so depth and size are bounded here: two types that name each other twice would
 * otherwise double with every level.
 */
export class CustomTypes implements TypeTable {
  readonly names: ReadonlySet<string>;
  readonly #entries: ReadonlyMap<string, MapEntry>;
  readonly #report: Report;
  readonly #resolved = new Map<string, ResolvedType | undefined>();
  readonly #open: string[] = [];

  constructor(entries: ReadonlyMap<string, MapEntry>, report: Report) {
    this.#entries = entries;
    this.#report = report;
    this.names = new Set(entries.keys());
  }

  resolve(name: string): ResolvedType | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    if (this.#resolved.has(name)) return this.#resolved.get(name);
    if (this.#open.includes(name)) return this.#refuse("CIRCULAR_TYPE", entry.key, this.#circle(name));
    if (this.#open.length >= definitionLimits.typeDepth) return this.#tooLarge(entry.key, name);
    this.#open.push(name);
    const resolved = this.#bounded(name, entry);
    this.#open.pop();
    this.#resolved.set(name, resolved);
    return resolved;
  }

  /** Resolves the rest too, so that a type that nothing uses is checked as well. */
  resolveAll(): void {
    for (const [name, { key }] of this.#entries) {
      if (!isName("type", name))
        this.#refuse("INVALID_NAME", key, `The type ${quote(name)} must be ${nameHint("type")}.`);
      this.resolve(name);
    }
  }

  #bounded(name: string, { key, value }: MapEntry): ResolvedType | undefined {
    const resolved = readDefinition(value, contextFor(this, this.#report));
    if (resolved === undefined) return undefined;
    const fits = resolved.nodes <= definitionLimits.typeNodes && resolved.depth <= definitionLimits.typeDepth;
    return fits ? resolved : this.#tooLarge(key, name);
  }

  #circle(name: string): string {
    const path = [...this.#open.slice(this.#open.indexOf(name)), name];
    return `Types must not contain themselves: ${path.join(" -> ")}.`;
  }

  #tooLarge(place: Place, name: string): undefined {
    const { typeDepth, typeNodes } = definitionLimits;
    const text = `The type ${quote(name)} is too large: at most ${typeDepth} levels and ${typeNodes} properties.`;
    return this.#refuse("LIMIT_EXCEEDED", place, text);
  }

  #refuse(
    code: "CIRCULAR_TYPE" | "LIMIT_EXCEEDED" | "INVALID_NAME",
    place: Place,
    message: string,
  ): undefined {
    this.#report.add(code, place, message);
    return undefined;
  }
}

const nothing: ReadonlySet<string> = new Set();

/** Types are read before anything else is known; they refer to types only. */
function contextFor(types: TypeTable, report: Report): Context {
  const names = { tools: nothing, input: nothing, variables: nothing, threads: nothing, readable: nothing };
  return {
    report,
    types,
    format: "interactive",
    prompts: new Map(),
    resources: new Map(),
    triggerInputs: new Map(),
    ...names,
  };
}

function readDefinition(node: SyntaxNode, context: Context): ResolvedType | undefined {
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

export function described(schema: JsonSchema, description: string | undefined): JsonSchema {
  return description === undefined ? schema : { ...schema, description };
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
