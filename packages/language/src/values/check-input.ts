import { type Budget, closest } from "../names/suggest.ts";
import type { VariableSpec } from "../program.ts";
import { checkValue, maxShownLength, type ValueIssue } from "./check-value.ts";
import { findJsonProblem, isJsonValue, isPlainObject, type JsonSchema, type JsonValue } from "./json.ts";

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
