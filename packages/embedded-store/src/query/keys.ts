import { emptyArrayKey, encodeKey, invert } from "../bson/key-encoding.ts";
import { T } from "../bson/types.ts";
import { type Doc, type List, nullValue, type Value } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import type { Path } from "./path.ts";

/** One field of an index or of a sort. */
export interface KeyField {
  readonly field: string;
  readonly path: Path;
  readonly descending: boolean;
}

export interface KeySet {
  /** A document's distinct encoded keys; several if there are arrays on the paths. */
  readonly keys: readonly Buffer[];
  /** For each field, whether its path contains an array. */
  readonly multikey: readonly boolean[];
}

/** Progress along one field's path. */
interface Position {
  readonly value: Value | undefined;
  /** Parts of the path already walked. */
  readonly at: number;
  /** Its array was expanded; a nested array is used as a whole. */
  readonly opened: boolean;
  readonly emptyArray: boolean;
}

/**
 * A document's index keys, as on MongoDB: one per element of an array on a path, null for a
 * missing field. Fields below the same array are expanded together; two different arrays are refused.
 */
export function documentKeys(doc: Doc, fields: readonly KeyField[]): KeySet {
  const multikey = fields.map(() => false);
  const start = startPositions(doc, fields);
  if (!start.some(isAtArray)) return { keys: [joinKey(start, fields)], multikey };
  const keys = new Map<string, Buffer>();
  expand(start, fields, multikey, (positions) => {
    const key = joinKey(positions, fields);
    keys.set(key.toString("latin1"), key);
  });
  return { keys: [...keys.values()], multikey };
}

/** The values of one of a document's keys. */
export function keyValues(doc: Doc, fields: readonly KeyField[], key: Buffer): (Value | undefined)[] {
  const start = startPositions(doc, fields);
  let found = start;
  expand(start, fields, [], (positions) => {
    if (joinKey(positions, fields).equals(key)) found = [...positions];
  });
  return found.map(({ value }) => value);
}

function startPositions(doc: Doc, fields: readonly KeyField[]): Position[] {
  return fields.map((field) => walk({ type: T.document, value: doc }, field.path, 0));
}

// Descends through documents to the end of the path or an array.
function walk(from: Value | undefined, path: Path, start: number): Position {
  let value = from;
  let at = start;
  while (at < path.length && value?.type === T.document) {
    value = value.value.get(path[at] ?? "");
    at++;
  }
  const ended = at === path.length || value?.type === T.array;
  return { value: ended ? value : undefined, at, opened: false, emptyArray: false };
}

function isAtArray(position: Position): boolean {
  return position.value?.type === T.array && !position.opened;
}

function expand(
  positions: readonly Position[],
  fields: readonly KeyField[],
  multikey: boolean[],
  emit: (positions: readonly Position[]) => void,
): void {
  const first = positions.findIndex(isAtArray);
  const list = positions[first]?.value;
  if (list?.type !== T.array) {
    emit(positions);
    return;
  }
  const prefix = prefixOf(positions, fields, first);
  const moves = positions.map(
    (position, i) => isAtArray(position) && prefixOf(positions, fields, i) === prefix,
  );
  if (positions.some((position, i) => isAtArray(position) && !moves[i])) throw parallelArrays(fields);
  for (const [i, moving] of moves.entries()) if (moving) multikey[i] = true;
  for (const element of elementsOf(list.value)) {
    const next = positions.map((position, i) => {
      const field = fields[i];
      return moves[i] && field ? intoElement(element, field.path, position.at) : position;
    });
    expand(next, fields, multikey, emit);
  }
}

const emptyMark = Symbol("empty array");

function elementsOf(list: List): readonly (Value | typeof emptyMark)[] {
  return list.items.length === 0 ? [emptyMark] : list.items;
}

function intoElement(element: Value | typeof emptyMark, path: Path, at: number): Position {
  const atEnd = at === path.length;
  if (element === emptyMark) return { value: undefined, at, opened: true, emptyArray: atEnd };
  if (atEnd) return { value: element, at, opened: true, emptyArray: false };
  if (element.type !== T.document) return { value: undefined, at, opened: true, emptyArray: false };
  return walk(element, path, at);
}

function prefixOf(positions: readonly Position[], fields: readonly KeyField[], i: number): string {
  return (fields[i]?.path ?? []).slice(0, positions[i]?.at).join(".");
}

function parallelArrays(fields: readonly KeyField[]): StoreError {
  const names = fields.map((field) => field.field).join(", ");
  return new StoreError("CannotIndexParallelArrays", `cannot index parallel arrays in the fields ${names}`);
}

function joinKey(positions: readonly Position[], fields: readonly KeyField[]): Buffer {
  const [position] = positions;
  if (positions.length === 1 && position) return component(position, fields[0]?.descending ?? false);
  return Buffer.concat(positions.map((each, i) => component(each, fields[i]?.descending ?? false)));
}

function component(position: Position, descending: boolean): Buffer {
  const key = position.emptyArray ? emptyArrayKey : encodeKey(position.value ?? nullValue);
  return descending ? invert(key) : key;
}
