import { nearestDouble } from "../bson/numbers.ts";
import { show } from "../bson/show.ts";
import { T } from "../bson/types.ts";
import { type Doc, isNumber, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import type { KeyField } from "./keys.ts";
import { arrayIndex, type Path, parseExpressionPath } from "./path.ts";

const maxSortKeys = 32;

/** Parses a sort such as `{ a: 1, "b.c": -1 }`. */
export function parseSort(sort: Doc): KeyField[] {
  if (sort.size > maxSortKeys) throw new StoreError("BadValue", "too many compound keys in the sort");
  return Array.from(sort, ([field, direction]) => {
    const sign = signOf(direction);
    if (sign !== undefined) return keyField(field, parseExpressionPath(field), sign);
    if (direction.type === T.document) throw notSupported(`The sort of '${field}' by ${show(direction)}`);
    if (!isNumber(direction)) {
      const problem = `The order of '${field}' must be 1 or -1, not ${show(direction)}`;
      throw new StoreError("Location15974", problem);
    }
    throw new StoreError(
      "Location15975",
      "$sort key ordering must be 1 (for ascending) or -1 (for descending)",
    );
  });
}

/** 1 or -1; undefined for everything else. Refuses the names of other kinds of index. */
export function signOf(direction: Value): 1 | -1 | undefined {
  if (direction.type === T.string) throw notSupported(`The key type '${direction.value}'`);
  const sign = isNumber(direction) ? nearestDouble(direction) : Number.NaN;
  return sign === 1 || sign === -1 ? sign : undefined;
}

export function keyField(field: string, path: Path, sign: 1 | -1): KeyField {
  if (path.some((part) => arrayIndex(part) >= 0))
    throw notSupported(`A position in an index or a sort ('${field}')`);
  return { field, path, descending: sign === -1 };
}
