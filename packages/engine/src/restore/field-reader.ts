import { findJsonProblem, isJsonValue, isPlainObject, type JsonValue } from "@muster/language";

export interface RestoreIssue {
  /** Dotted: `messages.3.parts.0.text`. */
  path: string;
  message: string;
}

const maxNameLength = 200;

/**
 * Reads the fields of one object of unknown shape and collects the issues. Every method returns a usable value, so
 * that one pass finds all issues; callers must check `issues` before they use the result.
 */
export class FieldReader {
  readonly issues: RestoreIssue[];
  readonly #path: string;
  readonly #fields: Readonly<Record<string, unknown>>;
  /** A value that is not an object has one issue, not one for each field. */
  readonly #isObject: boolean;

  constructor(value: unknown, path: string, issues: RestoreIssue[]) {
    this.#path = path;
    this.issues = issues;
    this.#isObject = isPlainObject(value);
    this.#fields = isPlainObject(value) ? value : {};
    if (!this.#isObject) issues.push({ path, message: "must be an object" });
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#fields, name) && this.#fields[name] !== undefined;
  }

  raw(name: string): unknown {
    return this.has(name) ? this.#fields[name] : undefined;
  }

  pathOf(name: string): string {
    return `${this.#path}.${name}`;
  }

  refuse(name: string, message: string): void {
    if (this.#isObject) this.issues.push({ path: this.pathOf(name), message });
  }

  text(name: string): string {
    const value = this.raw(name);
    if (typeof value === "string") return value;
    this.refuse(name, "must be a string");
    return "";
  }

  /** An id or a name: neither empty nor too long. */
  name(name: string): string {
    const value = this.text(name);
    const fits = value !== "" && value.length <= maxNameLength;
    if (!fits && typeof this.raw(name) === "string")
      this.refuse(name, `must have 1 to ${maxNameLength} characters`);
    return value;
  }

  /** An id that every provider accepts. */
  id(name: string): string {
    const id = this.text(name);
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(id))
      this.refuse(name, "must be 1 to 64 letters, digits, underscores or hyphens");
    return id;
  }

  optionalText(name: string): string | undefined {
    return this.has(name) && this.raw(name) !== null ? this.text(name) : undefined;
  }

  oneOf<T extends string>(name: string, allowed: readonly [T, ...T[]], otherwise?: T): T {
    const value = this.raw(name);
    const found = allowed.find((item) => item === value);
    if (found !== undefined) return found;
    const isLeftOut = value === undefined && otherwise !== undefined;
    if (!isLeftOut) this.refuse(name, `must be one of ${allowed.join(", ")}`);
    return otherwise ?? allowed[0];
  }

  json(name: string): JsonValue | undefined {
    const value = this.raw(name);
    if (value === undefined || isJsonValue(value)) return value;
    this.refuse(name, findJsonProblem(value) ?? "must be JSON");
    return undefined;
  }

  list(name: string): readonly unknown[] {
    const value = this.raw(name);
    if (Array.isArray(value)) return value;
    this.refuse(name, "must be an array");
    return [];
  }
}
