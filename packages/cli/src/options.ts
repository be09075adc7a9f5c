import { usageError } from "./exit.ts";

/** The options of a command line, as commander parsed them. */
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

  /** Values of an option that may be repeated. */
  texts(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** The number of a version. */
  version(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw usageError(`--${name} must be the number of a version, such as 3.`);
  }
}

/** For an option that may be repeated: collects its values. */
export function collect(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}
