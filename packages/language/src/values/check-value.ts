import { equalJson, isJsonObject, type JsonSchema, type JsonValue } from "./json.ts";

export interface ValueIssue {
  /** Dotted: `CUSTOMER.orders.0.id`. Empty means the whole value. */
  readonly path: string;
  readonly message: string;
}

/** A keyword about the value itself; its items and properties are checked separately. */
interface Rule {
  readonly accepts: (expected: JsonValue, value: JsonValue) => boolean;
  /** A sentence without a subject. */
  readonly problem: (expected: JsonValue) => string;
}

const maxIssues = 50;
const maxListed = 20;
export const maxShownLength = 60;

const numberOf = (value: JsonValue) => (typeof value === "number" ? value : undefined);
const itemsOf = (value: JsonValue) => (isList(value) ? value.length : undefined);
const atLeast = (size: number, limit: number) => size >= limit;
const atMost = (size: number, limit: number) => size <= limit;

const rules: ReadonlyMap<string, Rule> = new Map(
  Object.entries({
    type: { accepts: hasType, problem: (type) => `must be ${[type].flat().map(described).join(" or ")}` },
    enum: {
      accepts: (allowed, value) => listOf(allowed).some((item) => equalJson(item, value)),
      problem: (allowed) => `must be one of ${listed(listOf(allowed))}`,
    },
    const: { accepts: equalJson, problem: (only) => `must be ${shown(only)}` },
    anyOf: {
      accepts: (variants, value) => listOf(variants).some((variant) => fits(variant, value)),
      problem: () => "does not match any variant of its type",
    },
    oneOf: {
      accepts: (variants, value) => listOf(variants).filter((variant) => fits(variant, value)).length === 1,
      problem: () => "must match exactly one variant of its type",
    },
    allOf: {
      accepts: (parts, value) => listOf(parts).every((part) => fits(part, value)),
      problem: () => "does not match every part of its type",
    },
    not: {
      accepts: (excluded, value) => !fits(excluded, value),
      problem: () => "has a form that its type excludes",
    },
    minimum: bound(numberOf, atLeast, (limit) => `must be at least ${limit}`),
    maximum: bound(numberOf, atMost, (limit) => `must be at most ${limit}`),
    exclusiveMinimum: bound(
      numberOf,
      (size, limit) => size > limit,
      (limit) => `must be greater than ${limit}`,
    ),
    exclusiveMaximum: bound(
      numberOf,
      (size, limit) => size < limit,
      (limit) => `must be less than ${limit}`,
    ),
    minLength: bound(lengthOf, atLeast, (limit) => `must have at least ${limit} characters`),
    maxLength: bound(lengthOf, atMost, (limit) => `must have at most ${limit} characters`),
    minItems: bound(itemsOf, atLeast, (limit) => `must have at least ${limit} items`),
    maxItems: bound(itemsOf, atMost, (limit) => `must have at most ${limit} items`),
  } satisfies Record<string, Rule>),
);

/** A limit for values that have this measure; others have none. */
function bound(
  measure: (value: JsonValue) => number | undefined,
  accepts: (size: number, limit: number) => boolean,
  problem: (limit: number) => string,
): Rule {
  return {
    accepts: (limit, value) => {
      const size = measure(value);
      return size === undefined || accepts(size, Number(limit));
    },
    problem: (limit) => problem(Number(limit)),
  };
}

/**
 * Checks a value against a schema of the keywords in `rules` and `items`, `properties` and `required`; other keywords
 * are ignored. The effort is at most the size of the schema times that of the value: a schema has neither references
 * nor patterns. The value may have properties that the schema does not list.
 */
export function checkValue(schema: JsonSchema, value: JsonValue, path: string, issues: ValueIssue[]): void {
  if (issues.length >= maxIssues) return;
  const problem = problemOf(schema, value);
  if (problem !== undefined) issues.push({ path, message: `${path} ${problem}.` });
  else if (isList(value)) checkItems(schema, value, path, issues);
  else if (isJsonObject(value)) checkProperties(schema, value, path, issues);
}

function problemOf(schema: JsonSchema, value: JsonValue): string | undefined {
  const keyword = brokenKeyword(schema, value);
  return keyword && rules.get(keyword)?.problem(schema[keyword] ?? null);
}

function brokenKeyword(schema: JsonSchema, value: JsonValue): string | undefined {
  // `in`, not Object.entries: schemas have few keys and are checked for every value.
  for (const keyword in schema) {
    const expected = schema[keyword];
    if (expected !== undefined && rules.get(keyword)?.accepts(expected, value) === false) return keyword;
  }
  return undefined;
}

function checkItems(
  { items }: JsonSchema,
  value: readonly JsonValue[],
  path: string,
  issues: ValueIssue[],
): void {
  if (!isJsonObject(items)) return;
  for (const [index, item] of value.entries()) checkValue(items, item, `${path}.${index}`, issues);
}

function checkProperties(
  schema: JsonSchema,
  value: Readonly<Record<string, JsonValue>>,
  path: string,
  issues: ValueIssue[],
): void {
  for (const [name, item] of Object.entries(value)) {
    const property = propertyOf(schema, name);
    if (property !== undefined) checkValue(property, item, `${path}.${name}`, issues);
  }
  for (const name of listOf(schema.required)) {
    if (issues.length >= maxIssues) return;
    if (isMissing(name, value))
      issues.push({ path: `${path}.${name}`, message: `${path}.${name} is required.` });
  }
}

/** Like `checkValue`, but without messages: a union may have many variants. A boolean is a schema, too. */
export function fits(schema: JsonValue, value: JsonValue): boolean {
  if (!isJsonObject(schema)) return schema === true;
  if (brokenKeyword(schema, value) !== undefined) return false;
  const { items, required } = schema;
  if (isList(value)) return !isJsonObject(items) || value.every((item) => fits(items, item));
  if (!isJsonObject(value)) return true;
  if (listOf(required).some((name) => isMissing(name, value))) return false;
  return Object.entries(value).every(([name, item]) => {
    const property = propertyOf(schema, name);
    return property === undefined || fits(property, item);
  });
}

function propertyOf({ properties }: JsonSchema, name: string): JsonSchema | undefined {
  const property = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isJsonObject(property) ? property : undefined;
}

function isMissing(name: JsonValue, value: object): boolean {
  return typeof name === "string" && !Object.hasOwn(value, name);
}

function hasType(type: JsonValue, value: JsonValue): boolean {
  if (isList(type)) return type.some((each) => hasType(each, value));
  if (type === "array") return isList(value);
  if (type === "object") return isJsonObject(value);
  if (type === "integer") return Number.isInteger(value);
  return type === "null" ? value === null : typeof value === type;
}

/** In characters, as JSON Schema counts them: a surrogate pair is one. */
function lengthOf(value: JsonValue): number | undefined {
  if (typeof value !== "string") return undefined;
  let length = 0;
  for (const _ of value) length += 1;
  return length;
}

function described(type: JsonValue): string {
  if (type === "array") return "a list";
  if (type === "null") return "null";
  return `${/^[aio]/.test(String(type)) ? "an" : "a"} ${type}`;
}

/** An enum may have thousands of values, or long ones. */
function listed(values: readonly JsonValue[]): string {
  const named = values.slice(0, maxListed).map(shown);
  return values.length > maxListed ? `${named.join(", ")}, …` : named.join(", ");
}

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength - 1)}…` : text;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isList(value) ? value : [];
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
