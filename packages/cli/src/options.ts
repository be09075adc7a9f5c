import { usageError } from "./exit.ts";

/** The number of items that a list has without `--limit`. */
export const defaultLimit = 20;
const maxLimit = 10_000;

/** The options of a command line as parsed by commander. */
export class Options {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === "string" ? value : undefined;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  /** Whether `--no-…` was given. */
  isOff(name: string): boolean {
    return this.#values[name] === false;
  }

  /** The values of a repeatable option. */
  texts(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** The largest number of items of a list. */
  limit(): number {
    const text = this.text("limit") ?? String(defaultLimit);
    if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= maxLimit) return Number(text);
    throw usageError(`--limit must be a number from 1 to ${maxLimit.toLocaleString("en")}.`);
  }

  /** A version number. */
  version(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw usageError(`--${name} must be a version number, such as 3.`);
  }
}

/** Collects the values of a repeatable option. */
export function collect(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}
