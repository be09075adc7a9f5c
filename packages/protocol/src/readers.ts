import type { Context } from "./context.ts";
import { type Place, quote } from "./diagnostics.ts";
import { isName, type NameKind, nameHint } from "./names.ts";
import { describeNode, isNull, type MapNode, type SyntaxNode } from "./syntax.ts";

/** Turns a piece of syntax into a value, or reports what is wrong with it and returns undefined. */
export type Reader<T> = (node: SyntaxNode, context: Context) => T | undefined;

/** One key of a map. What reading an absent key gives is part of the type: see the makers below. */
export interface Field<T> {
  readonly read: Reader<T>;
  /** What an absent key stands for; without it the key is required. */
  readonly absent?: { readonly value: T };
  /** The key is only looked at: reading it gives undefined, and that is no failure. */
  readonly checkOnly?: true;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type Values<F extends Fields> = { [K in keyof F]: F[K] extends Field<infer T> ? T : never };

export function required<T>(read: Reader<T>): Field<T> {
  return { read };
}

export function optional<T>(read: Reader<T>): Field<T | undefined> {
  return { read, absent: { value: undefined } };
}

export function defaulted<T>(read: Reader<T>, value: T): Field<T> {
  return { read, absent: { value } };
}

/** A key that may be wrong but never has a value. */
export function checked(check: (node: SyntaxNode, context: Context) => void): Field<undefined> {
  const read = (node: SyntaxNode, context: Context): undefined => void check(node, context);
  return { read, absent: { value: undefined }, checkOnly: true };
}

/**
 * A key of the language that this server cannot run yet. An empty value asks for nothing and is let through;
 * anything else is refused, since an agent that cannot do what it says must not be accepted.
 */
export function notYet(what: string): Field<undefined> {
  return checked((node, { report }) => {
    if (asksForNothing(node)) return;
    report.add("NOT_AVAILABLE", node, `${what} not available on this server yet. Remove it.`);
  });
}

function asksForNothing(node: SyntaxNode): boolean {
  if (node.kind === "list") return node.items.length === 0;
  if (node.kind === "map") return node.entries.size === 0;
  return node.value === null || node.value === false;
}

/** Reads a map with exactly these keys. Every key is read even when one is wrong, so that all is reported. */
export function object<F extends Fields>(fields: F): Reader<Values<F>> {
  return (node, context) => {
    if (node.kind !== "map") return wrongType(node, context, `a map with ${Object.keys(fields).join(", ")}`);
    reportUnknownKeys(node, fields, context);
    return someKeys(fields)(node, context);
  };
}

/** Reads these keys of a map and leaves the others to somebody else. */
export function someKeys<F extends Fields>(fields: F) {
  return (node: MapNode, context: Context): Values<F> | undefined => {
    const values: Record<string, unknown> = {};
    let complete = true;
    for (const [name, field] of Object.entries(fields)) {
      const outcome = readField(node, name, field, context);
      if (outcome.ok) values[name] = outcome.value;
      else complete = false;
    }
    // The loop has just given every key of `fields` the value that its reader makes.
    return complete ? (values as Values<F>) : undefined;
  };
}

type Outcome = { ok: true; value: unknown } | { ok: false };

function readField(node: MapNode, name: string, field: Field<unknown>, context: Context): Outcome {
  const entry = node.entries.get(name);
  if (entry === undefined || (isNull(entry.value) && field.absent !== undefined)) {
    if (field.absent !== undefined) return { ok: true, value: field.absent.value };
    const place = { ...node, path: `${node.path}.${name}` };
    context.report.add("MISSING_FIELD", place, `${quote(name)} is required here.`);
    return { ok: false };
  }
  const value = field.read(entry.value, context);
  return value === undefined && !field.checkOnly ? { ok: false } : { ok: true, value };
}

export function reportUnknownKeys(node: MapNode, known: object, { report }: Context): void {
  const among = Object.keys(known);
  for (const [name, { key }] of node.entries) {
    if (Object.hasOwn(known, name)) continue;
    const text = `There is no key ${quote(name)} here. Known: ${among.join(", ")}.`;
    report.add("UNKNOWN_KEY", key, text, { name, among });
  }
}

/**
 * Reads a map from names of a kind to values; wrong entries are reported and left out. Names that start with
 * `reserved` are the platform's.
 */
export function mapOf<T>(
  kind: NameKind,
  read: (node: SyntaxNode, context: Context, name: string) => T | undefined,
  reserved?: string,
): Reader<Record<string, T>> {
  return (node, context) => {
    if (node.kind !== "map") return wrongType(node, context, "a map of names");
    const values: Record<string, T> = {};
    for (const [name, { key, value }] of node.entries) {
      const valid = checkName(kind, name, key, context, reserved);
      const item = read(value, context, name);
      if (valid && item !== undefined) values[name] = item;
    }
    return values;
  };
}

function checkName(kind: NameKind, name: string, at: Place, { report }: Context, reserved?: string): boolean {
  if (reserved !== undefined && name.startsWith(reserved)) {
    report.add("RESERVED_NAME", at, `Names that start with ${reserved} are the platform's: ${quote(name)}.`);
    return false;
  }
  if (isName(kind, name)) return true;
  report.add("INVALID_NAME", at, `The name ${quote(name)} must be ${nameHint(kind)}.`);
  return false;
}

export function listOf<T>(read: Reader<T>, what: string): Reader<T[]> {
  return (node, context) => {
    if (node.kind !== "list") return wrongType(node, context, `a list of ${what}`);
    const items = node.items.map((item) => read(item, context));
    const good = items.filter((item) => item !== undefined);
    return good.length === items.length ? good : undefined;
  };
}

/** Reports that something else is expected. Returns undefined, so that readers can return it. */
export function wrongType(node: SyntaxNode, { report }: Context, expected: string): undefined {
  report.add("WRONG_TYPE", node, `This must be ${expected}, not ${describeNode(node)}.`);
  return undefined;
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Leaves out keys whose value is undefined, so that programs say absent in one way only. */
export function defined<T extends object>(value: T): Defined<T> {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  // Only keys that may be undefined have been left out.
  return Object.fromEntries(entries) as Defined<T>;
}
