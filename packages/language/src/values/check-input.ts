import { type Budget, closest } from "../names/suggest.ts";
import type { VariableSpec } from "../program.ts";
import {
  equalJson,
  findJsonProblem,
  isJsonObject,
  isJsonValue,
  isPlainObject,
  type JsonSchema,
  type JsonValue,
} from "./json.ts";

export type InputCheck =
  | { readonly ok: true; readonly values: Record<string, JsonValue> }
  | { readonly ok: false; readonly issues: readonly ValueIssue[] };

export interface InputOptions {
  /** The treatment of names that are not declared. Default: `refuse`. */
  readonly undeclared?: "refuse" | "drop";
}

/**
 * Checks session or trigger input against its declarations and fills in defaults. An optional one without a default
 * stays absent; `mapInput` makes it read as NONE.
 */
export function checkInput(
  specs: Readonly<Record<string, VariableSpec>>,
  input: unknown,
  { undeclared = "refuse" }: InputOptions = {},
): InputCheck {
  if (input !== undefined && !isPlainObject(input)) {
    return { ok: false, issues: [{ path: "", message: "Input must be an object of values by name." }] };
  }
  const issues: ValueIssue[] = [];
  const values: Record<string, JsonValue> = {};
  const unknownNames = new UndeclaredNames(specs, input ?? {});
  for (const [name, spec] of Object.entries(specs)) {
    const given = input !== undefined && Object.hasOwn(input, name) ? input[name] : undefined;
    const value = given === undefined || (given === null && spec.optional) ? spec.default : given;
    if (value === undefined) {
      if (!spec.optional) issues.push({ path: name, message: requiredMessage(name, unknownNames) });
    } else if (accepts(spec.schema, value, name, issues)) {
      values[name] = value;
    }
  }
  if (undeclared === "refuse") issues.push(...unknownNames.issues());
  return issues.length === 0 ? { ok: true, values } : { ok: false, issues };
}

function requiredMessage(name: string, unknownNames: UndeclaredNames): string {
  const sent = unknownNames.takeMisspelt(name);
  return `${name} is required.${sent === undefined ? "" : ` Rename ${sent}, which is not declared.`}`;
}

function accepts(schema: JsonSchema, value: unknown, path: string, issues: ValueIssue[]): value is JsonValue {
  if (!isJsonValue(value)) {
    issues.push({ path, message: `${path} ${findJsonProblem(value) ?? "must be JSON"}.` });
    return false;
  }
  const before = issues.length;
  checkValue(schema, value, path, issues);
  return issues.length === before;
}

const maxReported = 20;
const maxComparisons = 1_000;
const maxShownNames = 6;
const maxShownLength = 60;

/**
 * The names in an input that its declarations do not have. An input may have any number of them, of any length, so
 * only the first are examined.
 */
class UndeclaredNames {
  readonly #specs: Readonly<Record<string, VariableSpec>>;
  readonly #names = new Set<string>();
  readonly #budget: Budget = { left: maxComparisons };

  constructor(specs: Readonly<Record<string, VariableSpec>>, input: object) {
    this.#specs = specs;
    for (const name in input) {
      if (this.#names.size >= maxReported) break;
      if (Object.hasOwn(input, name) && !Object.hasOwn(specs, name)) this.#names.add(name);
    }
  }

  /** Takes out the name that was probably meant as this missing one. */
  takeMisspelt(missing: string): string | undefined {
    const [name] = closest(missing, this.#names, undefined, this.#budget);
    if (name !== undefined) this.#names.delete(name);
    return name && shortened(name);
  }

  /** One issue for each name that is left. */
  issues(): ValueIssue[] {
    return [...this.#names].map((name) => {
      const shown = shortened(name);
      return { path: shown, message: `${shown} is not declared. ${this.#advice(name)}` };
    });
  }

  #advice(name: string): string {
    const declared = Object.keys(this.#specs);
    const [meant] = closest(name, declared, undefined, this.#budget);
    if (meant !== undefined) return `Did you mean ${meant}?`;
    if (declared.length === 0) return "No input is declared.";
    const more = declared.length > maxShownNames ? ", …" : ".";
    return `Declared are ${declared.slice(0, maxShownNames).join(", ")}${more}`;
  }
}

function shortened(name: string): string {
  // The cut may divide a surrogate pair.
  return name.length <= maxShownLength ? name : `${name.slice(0, maxShownLength)}…`.toWellFormed();
}

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

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength - 1)}…` : text;
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
