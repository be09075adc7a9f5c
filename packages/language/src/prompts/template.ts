import type { JsonValue } from "../values/json.ts";

/** A prompt, parsed once. Includes are already resolved; a shared include is one shared object. */
export type Template = readonly TemplatePart[];

export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  /** `raw` is the tag as written; it stays if the name is not mapped. */
  | { readonly kind: "value"; readonly name: string; readonly raw: string }
  | { readonly kind: "include"; readonly template: Template }
  | { readonly kind: "choice"; readonly branches: readonly Branch[]; readonly otherwise: Template };

export interface Branch {
  readonly condition: Condition;
  readonly body: Template;
}

export type Condition =
  | { readonly test: "truthy" | "falsy"; readonly name: string }
  | { readonly test: "equal" | "unequal"; readonly name: string; readonly text: string };

/** The variable that fills each placeholder. See `mapInput`. */
export type InputMapping = ReadonlyArray<{ readonly name: string; readonly source: string }>;

type Values = Readonly<Record<string, JsonValue>>;

/** The text of a declared name without a value. */
const none = "NONE";
const falsy: ReadonlySet<JsonValue> = new Set([null, false, "", "false", "0", 0]);

/** Reads a mapping's sources; one without a value becomes null, which reads as NONE and is falsy. */
export function mapInput(
  mapping: InputMapping,
  read: (source: string) => JsonValue | undefined,
): Record<string, JsonValue> {
  const values: Record<string, JsonValue> = {};
  for (const { name, source } of mapping) values[name] = read(source) ?? null;
  return values;
}

/** A prompt with its values filled in would be larger than `maxRenderedLength`. */
export class PromptTooLargeError extends Error {
  constructor() {
    super(`A prompt with its values filled in may have at most ${maxRenderedLength} characters.`);
    this.name = "PromptTooLargeError";
  }
}

/** In UTF-16 units. Limited because a large value may appear in a prompt thousands of times. */
export const maxRenderedLength = 8 * 1024 * 1024;

/**
 * Fills a prompt in. Values are copied, never parsed: `{{X}}` inside a value stays those five characters.
 * Throws `PromptTooLargeError`.
 */
export function renderTemplate(template: Template, values: Values): string {
  const renderer = new Renderer(values);
  renderer.write(template);
  return renderer.text;
}

class Renderer {
  text = "";
  readonly #values: Values;
  // Each value is converted to text once, however often it is used.
  readonly #texts = new Map<string, string | undefined>();

  constructor(values: Values) {
    this.#values = values;
  }

  write(template: Template): void {
    for (const part of template) this.#part(part);
  }

  #part(part: TemplatePart): void {
    switch (part.kind) {
      case "text":
        this.#append(part.text);
        break;
      case "value":
        this.#append(this.#textAt(part.name) ?? part.raw);
        break;
      case "include":
        this.write(part.template);
        break;
      case "choice":
        this.write(this.#chosen(part));
        break;
      default:
        part satisfies never;
    }
  }

  #chosen({ branches, otherwise }: Extract<TemplatePart, { kind: "choice" }>): Template {
    return branches.find(({ condition }) => this.#holds(condition))?.body ?? otherwise;
  }

  #append(piece: string): void {
    if (this.text.length + piece.length > maxRenderedLength) throw new PromptTooLargeError();
    this.text += piece;
  }

  #holds(condition: Condition): boolean {
    switch (condition.test) {
      case "truthy":
        return !isFalsy(lookUp(this.#values, condition.name));
      case "falsy":
        return isFalsy(lookUp(this.#values, condition.name));
      case "equal":
        return this.#textAt(condition.name) === condition.text;
      case "unequal":
        return this.#textAt(condition.name) !== condition.text;
      default:
        return condition satisfies never;
    }
  }

  #textAt(name: string): string | undefined {
    if (this.#texts.has(name)) return this.#texts.get(name);
    const value = lookUp(this.#values, name);
    const text = value === undefined ? undefined : textOf(value);
    this.#texts.set(name, text);
    return text;
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
