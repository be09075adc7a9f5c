import { equalJson, isJsonObject, type JsonSchema, type JsonValue } from "./json.ts";

export interface ValueIssue {
  /** Dotted: `CUSTOMER.orders.0.id`. Empty means the whole value. */
  readonly path: string;
  readonly message: string;
}

const maxIssues = 50;

/**
 * Checks a value against a schema that the compiler generated: `type`, `properties`, `required`, `items`, `enum`,
 * `const` and `anyOf`. Linear in the value, since such schemas are finite and have no patterns. Properties that
 * the schema does not list are allowed.
 */
export function checkValue(schema: JsonSchema, value: JsonValue, path: string, issues: ValueIssue[]): void {
  if (issues.length >= maxIssues) return;
  const problem = problemOf(schema, value);
  if (problem !== undefined) issues.push({ path, message: `${path} ${problem}.` });
  else if (isList(value)) checkItems(schema, value, path, issues);
  else if (typeof value === "object" && value !== null) checkProperties(schema, value, path, issues);
}

function problemOf(schema: JsonSchema, value: JsonValue): string | undefined {
  const { type, enum: allowed, const: only } = schema;
  switch (brokenRule(schema, value)) {
    case "type":
      return `must be ${described(String(type))}`;
    case "enum":
      return `must be one of ${listed(isList(allowed) ? allowed : [])}`;
    case "const":
      return `must be ${shown(only ?? null)}`;
    case "anyOf":
      return "does not match any variant of its type";
    default:
      return undefined;
  }
}

/** The first rule that the value itself breaks; its items and properties are not checked. */
function brokenRule(schema: JsonSchema, value: JsonValue): "type" | "enum" | "const" | "anyOf" | undefined {
  const { type, enum: allowed, const: only, anyOf } = schema;
  if (typeof type === "string" && !hasType(type, value)) return "type";
  if (isList(allowed) && !allowed.some((item) => equalJson(item, value))) return "enum";
  if (only !== undefined && !equalJson(only, value)) return "const";
  if (isList(anyOf) && !anyOf.some((variant) => isJsonObject(variant) && fits(variant, value)))
    return "anyOf";
  return undefined;
}

function checkItems(
  schema: JsonSchema,
  value: readonly JsonValue[],
  path: string,
  issues: ValueIssue[],
): void {
  const items = schema.items;
  if (!isJsonObject(items)) return;
  for (const [index, item] of value.entries()) checkValue(items, item, `${path}.${index}`, issues);
}

function checkProperties(
  schema: JsonSchema,
  value: Readonly<Record<string, JsonValue>>,
  path: string,
  issues: ValueIssue[],
): void {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return;
  for (const [name, item] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (isJsonObject(property)) checkValue(property, item, `${path}.${name}`, issues);
  }
  for (const name of isList(required) ? required : []) {
    if (issues.length >= maxIssues) return;
    const isMissing = typeof name === "string" && !Object.hasOwn(value, name);
    if (isMissing) issues.push({ path: `${path}.${name}`, message: `${path}.${name} is required.` });
  }
}

/** Like `checkValue`, but without messages: a union may have many variants. */
function fits(schema: JsonSchema, value: JsonValue): boolean {
  if (brokenRule(schema, value) !== undefined) return false;
  const { items, properties, required } = schema;
  if (isList(value)) return !isJsonObject(items) || value.every((item) => fits(items, item));
  if (typeof value !== "object" || value === null || !isJsonObject(properties)) return true;
  const isMissing = (name: JsonValue) => typeof name === "string" && !Object.hasOwn(value, name);
  if (isList(required) && required.some(isMissing)) return false;
  return Object.entries(value).every(([name, item]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return !isJsonObject(property) || fits(property, item);
  });
}

function hasType(type: string, value: JsonValue): boolean {
  if (type === "array") return isList(value);
  if (type === "object") return isJsonObject(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

function described(type: string): string {
  if (type === "array") return "a list";
  return `${/^[aio]/.test(type) ? "an" : "a"} ${type}`;
}

/** An enum may have thousands of values, or long ones. */
function listed(values: readonly JsonValue[]): string {
  const named = values.slice(0, maxListed).map(shown);
  return values.length > maxListed ? `${named.join(", ")}, …` : named.join(", ");
}

const maxListed = 20;
const maxShownLength = 60;

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength - 1)}…` : text;
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
