import { type NameKind, nameHint, nameRules } from "../names/names.ts";
import type { Format } from "../program.ts";
import { modelIdPattern, modelProviders } from "../readers/model-id.ts";
import { isJsonValue, type JsonObject, type JsonValue } from "../values/json.ts";
import { type Grammar, protocolGrammar } from "./protocol-grammar.ts";
import type { FieldShape, FieldShapes, Shape, Variant } from "./shapes.ts";

/**
 * JSON Schemas for editors, generated from the grammar. Draft 7, which editors support. They complete keys,
 * explain them and mark mistakes; only the compiler checks how parts fit together (declared names, threads, prompts).
 */
const dialect = { $schema: "http://json-schema.org/draft-07/schema#" };

/** The schema of `settings.json`. It allows `$schema`, so that the file can refer to it. */
export function settingsEditorSchema(grammar: Grammar = protocolGrammar): JsonObject {
  // Unlike YAML, JSON has no keys without a value.
  const properties = mapValues(grammar.settings, (field) => ({
    ...schemaOf(field.shape),
    description: field.doc,
  }));
  const rest = { type: "object", required: requiredOf(grammar.settings), additionalProperties: false };
  const ownSchema = { $schema: { type: "string", description: "The schema of this file, for editors." } };
  return { ...dialect, title: "Muster agent settings", ...rest, properties: { ...ownSchema, ...properties } };
}

/** The schema of `protocol.yaml`. The file does not contain its format; `steps` makes it a worker. */
export function protocolEditorSchema(grammar: Grammar = protocolGrammar): JsonObject {
  const { interactive, worker } = grammar.formats;
  return {
    ...dialect,
    title: "Muster agent protocol",
    type: "object",
    properties: propertiesOf({ ...worker, ...interactive }),
    additionalProperties: false,
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    ...{ if: { required: ["steps"] }, then: formatRules(grammar, "worker") },
    else: formatRules(grammar, "interactive"),
  };
}

function formatRules({ formats }: Grammar, format: Format): JsonObject {
  const other = formats[format === "worker" ? "interactive" : "worker"];
  const foreign = Object.keys(other).filter((key) => !Object.hasOwn(formats[format], key));
  return {
    required: requiredOf(formats[format]),
    properties: Object.fromEntries(foreign.map((key) => [key, false])),
  };
}

interface ObjectSchema extends JsonObject {
  readonly properties: JsonObject;
}

function objectOf(fields: FieldShapes): ObjectSchema {
  return {
    type: "object",
    properties: propertiesOf(fields),
    required: requiredOf(fields),
    additionalProperties: false,
  };
}

function propertiesOf(fields: FieldShapes): JsonObject {
  return mapValues(fields, propertyOf);
}

function mapValues(fields: FieldShapes, make: (field: FieldShape) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, make(field)]));
}

function requiredOf(fields: FieldShapes): string[] {
  return Object.entries(fields)
    .filter(([, { absent }]) => absent === undefined)
    .map(([name]) => name);
}

function propertyOf({ shape, doc, absent, deprecated }: FieldShape): JsonObject {
  const schema = schemaOf(shape);
  const value = absent?.value;
  return {
    // An optional key without a value counts as absent.
    ...(absent === undefined ? schema : orNothing(schema)),
    description: deprecated === undefined ? doc : `${doc} Deprecated: ${deprecated}.`,
    ...(deprecated !== undefined && { deprecated: true, deprecationMessage: deprecated }),
    ...(isWorthSaying(value) && { default: value }),
  };
}

function orNothing(schema: JsonObject): JsonObject {
  if (Object.keys(schema).length === 0) return schema;
  return typeof schema.type === "string" && schema.enum === undefined
    ? { ...schema, type: [schema.type, "null"] }
    : { anyOf: [schema, { type: "null" }] };
}

/** Whether a default is worth stating: authors expect an absent list or map to be empty. */
function isWorthSaying(value: unknown): value is JsonValue {
  if (typeof value === "object" && value !== null) return false;
  return value !== undefined && isJsonValue(value);
}

function schemaOf(shape: Shape): JsonObject {
  switch (shape.kind) {
    case "text":
      return {
        type: "string",
        ...(shape.nonEmpty && { minLength: 1 }),
        ...(shape.maxLength !== undefined && { maxLength: shape.maxLength }),
        ...(shape.pattern !== undefined && { pattern: shape.pattern }),
      };
    case "flag":
      return { type: "boolean" };
    case "number":
      return { type: shape.integer ? "integer" : "number", minimum: shape.min, maximum: shape.max };
    case "words":
      return { type: "string", enum: shape.words };
    case "name":
      return { type: "string", ...named(shape.of), examples: [nameRules[shape.of].example] };
    case "type":
      return { type: "string", examples: ["string", "integer", "boolean", "string[]", "OrderLine"] };
    case "model":
      return { type: "string", pattern: source(modelIdPattern), examples: exampleModels };
    case "json":
      return {};
    case "null":
      return { type: "null" };
    case "list":
      return { type: "array", items: schemaOf(shape.items) };
    case "map":
      return mapSchema(shape);
    case "object":
      return objectOf(shape.fields);
    case "tagged":
      return taggedSchema(shape.tag, shape.variants);
    case "anyOf":
      return { anyOf: shape.shapes.map(schemaOf) };
    default:
      return shape satisfies never;
  }
}

const exampleModels = modelProviders.map((provider) => `${provider}/${provider === "demo" ? "echo" : "…"}`);

function mapSchema({ keys, reserved, values }: Extract<Shape, { kind: "map" }>): JsonObject {
  const rules: JsonObject[] = [
    ...(keys === undefined ? [] : [{ ...named(keys), errorMessage: `must be ${nameHint(keys)}` }]),
    ...(reserved === undefined ? [] : [{ not: { pattern: `^${reserved}` } }]),
  ];
  return {
    type: "object",
    additionalProperties: schemaOf(values),
    ...(rules.length > 0 && { propertyNames: rules.length === 1 ? rules[0] : { allOf: rules } }),
  };
}

/** One rule per tag instead of alternatives, so that an editor marks the wrong key and does not list every variant. */
function taggedSchema(tag: string, variants: Readonly<Record<string, Variant>>): JsonObject {
  const tags = Object.keys(variants);
  const docs = Object.values(variants).map(({ doc }) => doc);
  const choice: JsonObject = { type: "string", enum: tags, enumDescriptions: docs };
  return {
    type: "object",
    properties: { [tag]: choice },
    required: [tag],
    allOf: Object.entries(variants).map(([name, { fields }]) => {
      const { properties, ...rest } = objectOf(fields);
      const then = { ...rest, properties: { [tag]: choice, ...properties } };
      return { if: { properties: { [tag]: { const: name } }, required: [tag] }, then };
    }),
  };
}

function named(kind: NameKind): JsonObject {
  const { pattern, maxLength } = nameRules[kind];
  return { pattern: source(pattern), maxLength };
}

/** Some editors do not support named groups, which the check does not need. */
function source({ source: pattern }: RegExp): string {
  return pattern.replaceAll(/\(\?<[A-Za-z]+>/g, "(");
}
