import { type Budget, closest } from "../names/suggest.ts";
import type { VariableSpec } from "../program.ts";
import type { ValueIssue } from "./check-value.ts";

const maxReported = 20;
const maxComparisons = 1_000;
const maxShownNames = 6;
const maxShownLength = 60;

/**
 * The names in an input that its declarations do not have. An input may have any number of them, of any length, so
 * only the first are examined.
 */
export class UndeclaredNames {
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
