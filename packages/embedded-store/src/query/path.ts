import { T } from "../bson/types.ts";
import type { Doc, List, Value } from "../bson/value.ts";
import { type ErrorName, notSupported, StoreError } from "../errors.ts";

/** A dotted path, split. */
export type Path = readonly string[];

const maxParts = 100;

/** Splits a dotted path and refuses what MongoDB refuses. */
export function parsePath(dotted: string): Path {
  const parts = dotted.split(".");
  if (parts.length > maxParts) throw new StoreError("Overflow", `A path has more than ${maxParts} parts`);
  return parts;
}

/** Like parsePath, for updates and indexes: no empty parts, which are refused with the code `empty`, and no `$` operators. */
export function parseFieldPath(dotted: string, empty: ErrorName = "EmptyFieldName"): Path {
  const parts = parsePath(dotted);
  for (const part of parts) {
    if (part === "") throw new StoreError(empty, `The path '${dotted}' has an empty part`);
    if (part.startsWith("$")) throw notSupported(`A path with '${part}' ('${dotted}')`);
  }
  return parts;
}

/** Like parseFieldPath, for projections, sorts and expressions. */
export function parseExpressionPath(dotted: string): Path {
  if (dotted === "") throw new StoreError("Location40352", "A path cannot be an empty string");
  if (dotted.endsWith("."))
    throw new StoreError("Location40353", `The path '${dotted}' must not end with '.'`);
  return parseFieldPath(dotted, "Location15998");
}

/** A test of one value; undefined represents a missing field. */
export type ValueTest = (value: Value | undefined) => boolean;

/**
 * Whether `test` is true for any value on the path. Arrays on the way are entered (each element, and by
 * position where the part is a number). An array at the end is tested element by element and as a whole, or
 * only as a whole when `whole` is set. This is MongoDB's traversal, including that a path through an array
 * without subdocuments has no values: not even a missing one.
 */
export function anyAt(doc: Doc, path: Path, whole: boolean, test: ValueTest): boolean {
  return anyInContainer((name) => doc.get(name), path, 0, whole, test);
}

function anyInContainer(
  get: (name: string) => Value | undefined,
  path: Path,
  at: number,
  whole: boolean,
  test: ValueTest,
): boolean {
  const value = get(path[at] ?? "");
  if (at === path.length - 1) return testLeaf(value, whole, test);
  if (value?.type === T.document) {
    const child = value.value;
    return anyInContainer((name) => child.get(name), path, at + 1, whole, test);
  }
  if (value?.type === T.array) return anyInArray(value.value, path, at + 1, whole, test);
  return test(undefined);
}

function testLeaf(value: Value | undefined, whole: boolean, test: ValueTest): boolean {
  if (value?.type === T.array && !whole && value.value.items.some(test)) return true;
  return test(value);
}

function anyInArray(list: List, path: Path, at: number, whole: boolean, test: ValueTest): boolean {
  for (const item of list.items) {
    if (item.type !== T.document) continue;
    const child = item.value;
    if (anyInContainer((name) => child.get(name), path, at, whole, test)) return true;
  }
  const item = list.items[arrayIndex(path[at] ?? "")];
  if (item === undefined) return false;
  if (at === path.length - 1) return test(item);
  return anyInPosition(item, path, at + 1, whole, test);
}

function anyInPosition(item: Value, path: Path, at: number, whole: boolean, test: ValueTest): boolean {
  if (item.type === T.document) {
    const child = item.value;
    return anyInContainer((name) => child.get(name), path, at, whole, test);
  }
  return item.type === T.array && anyInArray(item.value, path, at, whole, test);
}

/** The array position that a path part names, or -1 if it names a field. */
export function arrayIndex(part: string): number {
  return /^(0|[1-9]\d{0,8})$/.test(part) ? Number(part) : -1;
}
