import type { Context } from "../context.ts";
import { type Place, quote } from "../diagnostics.ts";
import type { Shape } from "../grammar/shapes.ts";
import { checkName, type NameKind } from "../names/names.ts";
import { describeNode, isNull, type SyntaxNode } from "../yaml/syntax.ts";

/** Reads values of one kind and describes their shape as data. */
export interface Reader<T> {
  readonly shape: Shape;
  /** Turns a syntax node into a value, or reports the problem and returns undefined. */
  readonly read: Read<T>;
}

export type Read<T> = (node: SyntaxNode, context: Context) => T | undefined;

export function reader<T>(shape: Shape, read: Read<T>): Reader<T> {
  return { shape, read };
}

/** Reads with another reader and converts the value. */
export function made<T, U>(
  from: Reader<T>,
  make: (value: T, node: SyntaxNode, context: Context) => U | undefined,
): Reader<U> {
  return reader(from.shape, (node, context) => {
    const value = from.read(node, context);
    return value === undefined ? undefined : make(value, node, context);
  });
}

export function listOf<T>(item: Reader<T>, what: string): Reader<T[]> {
  return reader({ kind: "list", items: item.shape }, (node, context) => {
    if (node.kind !== "list") return wrongType(node, context, `a list of ${what}`);
    const items = node.items.map((each) => item.read(each, context));
    const good = items.filter((value) => value !== undefined);
    return good.length === items.length ? good : undefined;
  });
}

/** A reader of one entry of a map, which also receives the entry's name. */
interface EntryReader<T> {
  readonly shape: Shape;
  readonly read: (node: SyntaxNode, context: Context, name: string) => T | undefined;
}

/**
 * Reads a map from names of a kind to values; invalid entries are reported and left out. Names that start with
 * `reserved` belong to the platform.
 */
export function mapOf<T>(
  keys: NameKind,
  entry: EntryReader<T>,
  reserved?: string,
): Reader<Record<string, T>> {
  const shape: Shape = { kind: "map", keys, values: entry.shape, ...(reserved && { reserved }) };
  return reader(shape, (node, context) => {
    if (node.kind !== "map") return wrongType(node, context, "a map of names");
    const values: Record<string, T> = {};
    for (const [name, { key, value }] of node.entries) {
      const valid = !isReserved(name, key, context, reserved) && checkName(keys, name, key, context.report);
      const item = entry.read(value, context, name);
      if (valid && item !== undefined) values[name] = item;
    }
    return values;
  });
}

/** Reports a reserved name. */
function isReserved(name: string, at: Place, { report }: Context, reserved: string | undefined): boolean {
  if (reserved === undefined || !name.startsWith(reserved)) return false;
  report.add(
    "RESERVED_NAME",
    at,
    `Names starting with ${reserved} are reserved for the platform. Rename ${quote(name)}.`,
  );
  return true;
}

/** Reports that something else is expected. Returns undefined, so that readers can return it. */
export function wrongType(node: SyntaxNode, { report }: Context, expected: string): undefined {
  const found = isNull(node) ? "but it has no value" : `not ${describeNode(node)}`;
  report.add("WRONG_TYPE", node, `This must be ${expected}, ${found}.`);
  return undefined;
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Leaves out keys whose value is undefined, so that programs have only one form of absent. */
export function defined<T extends object>(value: T): Defined<T> {
  const kept: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) if (item !== undefined) kept[key] = item;
  // Only keys that may be undefined have been left out.
  return kept as Defined<T>;
}
