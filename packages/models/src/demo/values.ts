import { isPlainObject } from "@muster/language";

type JsonObject = { [key: string]: unknown };

// Schemas come from definitions and callers: deep and self-referring ones must terminate.
const maxDepth = 8;
const maxValues = 300;

/**
 * Makes values for a JSON schema from a message: from the numbers and quoted words in it, or from its text. `known` are
 * values for properties of these names, wherever they are of the right type.
 */
export function valuesFrom(
  message: string,
  schema: unknown,
  known: ReadonlyMap<string, unknown> = new Map(),
): unknown {
  return makeValue(
    schema,
    "",
    {
      known,
      message: message.trim(),
      numbers: findNumbers(message),
      // Quoted words of a tool's result are mostly names of its fields.
      quoted: known.size > 0 ? [] : findQuoted(message),
      left: maxValues,
      root: schema,
    },
    0,
  );
}

interface Source {
  known: ReadonlyMap<string, unknown>;
  message: string;
  numbers: string[];
  quoted: string[];
  /** How many more values may be made. */
  left: number;
  root: unknown;
}

function makeValue(given: unknown, name: string, source: Source, depth: number): unknown {
  source.left -= 1;
  const schema = follow(given, source.root);
  if (source.left < 0 || depth > maxDepth || schema === undefined) return null;
  if ("const" in schema) return schema.const;
  const known = source.known.get(wordsOf(name));
  if (known !== undefined && fits(known, schema)) return known;
  if (Array.isArray(schema.enum)) return choose(schema.enum, source.message);
  if ("default" in schema) return schema.default;
  switch (typeOf(schema)) {
    case "object":
      return makeObject(schema, source, depth);
    case "array":
      return [makeValue(schema.items ?? { type: "string" }, name, source, depth + 1)];
    case "integer":
      return Math.round(makeNumber(schema, source));
    case "number":
      return makeNumber(schema, source);
    case "boolean":
      return !/\b(?:no|not|never|false|off)\b/i.test(source.message);
    case "null":
      return null;
    default:
      return makeString(schema, name, source);
  }
}

function makeObject(schema: JsonObject, source: Source, depth: number): JsonObject {
  const properties = isPlainObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const entries = Object.entries(properties)
    .filter(
      ([name, property]) =>
        required.includes(name) ||
        source.known.has(wordsOf(name)) ||
        isMentioned(name, property, source.message),
    )
    .map(([name, property]) => [name, makeValue(property, name, source, depth + 1)] as const);
  return Object.fromEntries(entries);
}

/** Whether a text, number or boolean is of the schema's type, and one of its allowed values. */
function fits(value: unknown, schema: JsonObject): boolean {
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  const type = typeOf(schema);
  return type === "integer" ? Number.isInteger(value) : type === typeof value;
}

/** The texts, numbers and booleans inside a value by their names; the first of each name. */
export function namedValuesIn(value: unknown, found = new Map<string, unknown>(), depth = 0) {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  for (const [name, item] of entries) {
    if (found.size >= maxValues || depth > maxDepth) break;
    if (typeof item === "object") namedValuesIn(item, found, depth + 1);
    else if (!found.has(wordsOf(name))) found.set(wordsOf(name), item);
  }
  return found;
}

/** An optional property gets a value if the message names it or one of its allowed values. */
function isMentioned(name: string, property: unknown, message: string): boolean {
  const text = ` ${wordsOf(message)} `;
  const allowed = isPlainObject(property) && Array.isArray(property.enum) ? property.enum : [];
  return [name, ...allowed].some((word) => text.includes(` ${wordsOf(String(word))} `));
}

function makeString(schema: JsonObject, name: string, source: Source): string {
  const example = formats[String(schema.format)];
  if (example !== undefined) return example;
  const labelled = valueAfter(name, source.message);
  if (labelled !== undefined) return labelled;
  if (asksForNumber(name) && source.numbers.length > 0) return source.numbers.shift() ?? "";
  const text = source.quoted.shift() ?? source.message;
  return text.slice(0, typeof schema.maxLength === "number" ? schema.maxLength : 500);
}

const formats: Readonly<Record<string, string>> = {
  date: "2026-01-31",
  time: "12:00:00Z",
  "date-time": "2026-01-31T12:00:00Z",
  email: "demo@example.com",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function makeNumber(schema: JsonObject, source: Source): number {
  const found = Number(source.numbers.shift() ?? 1);
  const minimum = typeof schema.minimum === "number" ? schema.minimum : Number.NEGATIVE_INFINITY;
  const maximum = typeof schema.maximum === "number" ? schema.maximum : Number.POSITIVE_INFINITY;
  return Math.min(Math.max(found, minimum), maximum);
}

function choose(allowed: unknown[], message: string): unknown {
  const text = ` ${wordsOf(message)} `;
  return allowed.find((value) => text.includes(` ${wordsOf(String(value))} `)) ?? allowed[0] ?? null;
}

/** `priority: high` or `priority=high` names the value of `priority`. */
function valueAfter(name: string, message: string): string | undefined {
  const start = message.toLowerCase().indexOf(name.toLowerCase());
  if (name === "" || start < 0) return undefined;
  return /^\s{0,3}[:=]\s{0,3}"?([^",;\n]{1,200})/.exec(message.slice(start + name.length))?.[1]?.trim();
}

function asksForNumber(name: string): boolean {
  return /\b(?:number|no|nr|id|code|reference|amount|count|phone|zip)\b/.test(wordsOf(name));
}

function findNumbers(message: string): string[] {
  return message.match(/(?<![\w.])-?\d{1,15}(?:\.\d{1,9})?(?!\w)/g) ?? [];
}

function findQuoted(message: string): string[] {
  return [...message.matchAll(/"([^"]{1,300})"|“([^”]{1,300})”/g)].map((match) => match[1] ?? match[2] ?? "");
}

/** Lower-case words with single spaces: `get-order`, `getOrder`, `get_order` and `Get order` all read `get order`. */
export function wordsOf(text: string): string {
  return text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function follow(schema: unknown, root: unknown): JsonObject | undefined {
  let current = schema;
  for (let steps = 0; steps < maxDepth && isPlainObject(current); steps++) {
    const variants = [current.anyOf, current.oneOf, current.allOf].find(Array.isArray);
    if (typeof current.$ref === "string") current = lookUp(current.$ref, root);
    else if (variants !== undefined && !("type" in current))
      current = variants.find((variant) => !isPlainObject(variant) || variant.type !== "null") ?? {};
    else return current;
  }
  return isPlainObject(current) || current === true ? {} : undefined;
}

function lookUp(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) return {};
  const path = reference.slice(1).split("/").filter(Boolean);
  return path.reduce<unknown>(
    (node, key) => (isPlainObject(node) && Object.hasOwn(node, key) ? node[key] : {}),
    root,
  );
}

function typeOf(schema: JsonObject): unknown {
  const type = Array.isArray(schema.type) ? schema.type.find((name) => name !== "null") : schema.type;
  return type ?? (isPlainObject(schema.properties) ? "object" : "string");
}
