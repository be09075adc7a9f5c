import { equalJson, isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "./json.ts";

export interface ValueIssue {
  /** Dotted: `CUSTOMER.orders.0.id`. Empty means the whole value. */
  readonly path: string;
  readonly message: string;
}

/** The steps that checks may still take. One takes about a tenth of a microsecond. */
export interface Effort {
  stepsLeft: number;
}

/** A check would take more steps than it may. */
export class EffortExceededError extends Error {}

function spend(effort: Effort, steps: number): void {
  effort.stepsLeft -= steps;
  if (effort.stepsLeft < 0) throw new EffortExceededError("The check takes too many steps.");
}

/** A keyword about the value itself; its items and properties are checked separately. */
interface Rule {
  readonly accepts: (expected: JsonValue, value: JsonValue, effort?: Effort) => boolean;
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
      accepts: (allowed, value, effort) => {
        if (effort !== undefined) spend(effort, listOf(allowed).length);
        return listOf(allowed).some((item) => equalJson(item, value));
      },
      problem: (allowed) => `must be one of ${listed(listOf(allowed))}`,
    },
    const: { accepts: (only, value) => equalJson(only, value), problem: (only) => `must be ${shown(only)}` },
    anyOf: {
      accepts: (variants, value, effort) => listOf(variants).some((variant) => fits(variant, value, effort)),
      problem: () => "does not match any variant of its type",
    },
    oneOf: {
      accepts: (variants, value, effort) =>
        listOf(variants).filter((variant) => fits(variant, value, effort)).length === 1,
      problem: () => "must match exactly one variant of its type",
    },
    allOf: {
      accepts: (parts, value, effort) => listOf(parts).every((part) => fits(part, value, effort)),
      problem: () => "does not match every part of its type",
    },
    not: {
      accepts: (excluded, value, effort) => !fits(excluded, value, effort),
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
  measure: (value: JsonValue, effort?: Effort) => number | undefined,
  accepts: (size: number, limit: number) => boolean,
  problem: (limit: number) => string,
): Rule {
  return {
    accepts: (limit, value, effort) => {
      const size = measure(value, effort);
      return size === undefined || accepts(size, Number(limit));
    },
    problem: (limit) => problem(Number(limit)),
  };
}

/**
 * Checks a value against a schema of the keywords in `rules` and `items`, `properties` and `required`; other keywords
 * are ignored. The effort is at most the size of the schema times that of the value: a schema has neither references
 * nor patterns. The value may have properties that the schema does not list. Throws EffortExceededError if the effort is
 * limited.
 */
export function checkValue(
  schema: JsonSchema,
  value: JsonValue,
  path: string,
  issues: ValueIssue[],
  effort?: Effort,
): void {
  if (issues.length >= maxIssues) return;
  const problem = problemOf(schema, value, effort);
  if (problem !== undefined) issues.push({ path, message: `${path} ${problem}.` });
  else if (isList(value)) checkItems(schema, value, path, issues, effort);
  else if (isJsonObject(value)) checkProperties(schema, value, path, issues, effort);
}

function problemOf(schema: JsonSchema, value: JsonValue, effort: Effort | undefined): string | undefined {
  const keyword = brokenKeyword(schema, value, effort);
  return keyword && rules.get(keyword)?.problem(schema[keyword] ?? null);
}

function brokenKeyword(schema: JsonSchema, value: JsonValue, effort: Effort | undefined): string | undefined {
  if (effort !== undefined) spend(effort, 1);
  // `in`, not Object.entries: schemas have few keys and are checked for every value.
  for (const keyword in schema) {
    const expected = schema[keyword];
    if (effort !== undefined) spend(effort, 1);
    if (expected !== undefined && rules.get(keyword)?.accepts(expected, value, effort) === false)
      return keyword;
  }
  return undefined;
}

function checkItems(
  { items }: JsonSchema,
  value: readonly JsonValue[],
  path: string,
  issues: ValueIssue[],
  effort: Effort | undefined,
): void {
  if (!isJsonObject(items)) return;
  for (const [index, item] of value.entries()) checkValue(items, item, `${path}.${index}`, issues, effort);
}

function checkProperties(
  schema: JsonSchema,
  value: JsonObject,
  path: string,
  issues: ValueIssue[],
  effort: Effort | undefined,
): void {
  for (const [name, item] of declaredIn(value, schema)) {
    if (effort !== undefined) spend(effort, 1);
    const property = propertyOf(schema, name);
    if (property !== undefined) checkValue(property, item, `${path}.${name}`, issues, effort);
  }
  for (const name of listOf(schema.required)) {
    if (issues.length >= maxIssues) return;
    if (isMissing(name, value))
      issues.push({ path: `${path}.${name}`, message: `${path}.${name} is required.` });
  }
}

/** Like `checkValue`, but without messages: a union may have many variants. A boolean is a schema, too. */
export function fits(schema: JsonValue, value: JsonValue, effort?: Effort): boolean {
  if (!isJsonObject(schema)) return schema === true;
  if (brokenKeyword(schema, value, effort) !== undefined) return false;
  const { items, required } = schema;
  if (isList(value)) return !isJsonObject(items) || value.every((item) => fits(items, item, effort));
  if (!isJsonObject(value)) return true;
  if (listOf(required).some((name) => isMissing(name, value))) return false;
  const entries = declaredIn(value, schema);
  if (effort !== undefined) spend(effort, entries.length);
  return entries.every(([name, item]) => {
    const property = propertyOf(schema, name);
    return property === undefined || fits(property, item, effort);
  });
}

/** The entries that the schema may have a property for. A value of a type without any can have very many keys. */
function declaredIn(value: JsonObject, { properties }: JsonSchema): Array<[name: string, item: JsonValue]> {
  return isJsonObject(properties) ? Object.entries(value) : [];
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
function lengthOf(value: JsonValue, effort?: Effort): number | undefined {
  if (typeof value !== "string") return undefined;
  if (effort !== undefined) spend(effort, value.length / 8);
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
