import type { JsonValue } from "./json.ts";
import type { InputMapping } from "./program.ts";

/** A prompt, parsed once. Includes are already resolved; a shared include is one shared object. */
export type Template = readonly TemplatePart[];

export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  /** `raw` is what stands in the prompt; it stays when the name is not mapped. */
  | { readonly kind: "value"; readonly name: string; readonly raw: string }
  | { readonly kind: "include"; readonly template: Template }
  | { readonly kind: "choice"; readonly branches: readonly Branch[]; readonly otherwise: Template };

export interface Branch {
  readonly condition: Condition;
  readonly then: Template;
}

export type Condition =
  | { readonly test: "truthy" | "falsy"; readonly name: string }
  | { readonly test: "equal" | "unequal"; readonly name: string; readonly text: string };

type Values = Readonly<Record<string, JsonValue>>;

/** What a declared name without a value reads as. */
const none = "NONE";
const falsy: ReadonlySet<JsonValue> = new Set([null, false, "", "false", "0", 0]);

/** Reads what a mapping asks for; a source without a value becomes null, which reads NONE and is falsy. */
export function mapInput(
  mapping: InputMapping,
  read: (source: string) => JsonValue | undefined,
): Record<string, JsonValue> {
  const values: Record<string, JsonValue> = {};
  for (const { name, source } of mapping) values[name] = read(source) ?? null;
  return values;
}

/** Fills a prompt in. Values are copied, never parsed: `{{X}}` inside a value stays those five characters. */
export function renderTemplate(template: Template, values: Values): string {
  let text = "";
  for (const part of template) text += renderPart(part, values);
  return text;
}

function renderPart(part: TemplatePart, values: Values): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "value": {
      const value = lookUp(values, part.name);
      return value === undefined ? part.raw : textOf(value);
    }
    case "include":
      return renderTemplate(part.template, values);
    case "choice": {
      const branch = part.branches.find(({ condition }) => holds(condition, values));
      return renderTemplate(branch?.then ?? part.otherwise, values);
    }
    default:
      return part satisfies never;
  }
}

function holds(condition: Condition, values: Values): boolean {
  const value = lookUp(values, condition.name);
  switch (condition.test) {
    case "truthy":
      return !isFalsy(value);
    case "falsy":
      return isFalsy(value);
    case "equal":
      return value !== undefined && textOf(value) === condition.text;
    case "unequal":
      return value === undefined || textOf(value) !== condition.text;
    default:
      return condition satisfies never;
  }
}

function isFalsy(value: JsonValue | undefined): boolean {
  return value === undefined || falsy.has(value);
}

function lookUp(values: Values, name: string): JsonValue | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function textOf(value: JsonValue): string {
  if (value === null) return none;
  return typeof value === "string" ? value : JSON.stringify(value);
}
