import { equalValues } from "../bson/compare.ts";
import { T } from "../bson/types.ts";
import type { Doc, Value } from "../bson/value.ts";
import { isAtArray, joinKey, type KeyField, type Position, startPositions } from "./keys.ts";

/** Each changed element is compared with all others. */
const maxChanged = 8;

export interface ChangedKeys {
  readonly removed: readonly Buffer[];
  readonly added: readonly Buffer[];
}

/**
 * The keys that differ between two versions of a document if only a few elements of one array on the index's paths
 * differ, as after `$push` or `$pull`: it need not encode all elements. Returns undefined for all other changes, and
 * for arrays with more than `maxElements`.
 */
export function changedElements(
  before: Doc,
  after: Doc,
  fields: readonly KeyField[],
  maxElements: number,
): ChangedKeys | undefined {
  const old = startPositions(before, fields);
  const now = startPositions(after, fields);
  const at = old.findIndex(isAtArray);
  const oldItems = elementsAt(old[at], fields[at]);
  const newItems = elementsAt(now[at], fields[at]);
  if (!oldItems || !newItems || newItems.length > maxElements) return undefined;
  if (old.some((position, i) => i !== at && !isSame(position, now[i]))) return undefined;
  const difference = middles(oldItems, newItems);
  if (!difference) return undefined;
  const keysOf = (items: readonly Value[]) => {
    const keys = items.map((value) => joinKey(old.toSpliced(at, 1, opened(value, fields[at])), fields));
    return keys.filter((key, i) => keys.findIndex((other) => other.equals(key)) === i);
  };
  return {
    removed: keysOf(difference.removed.filter((item) => !contains(newItems, item))),
    added: keysOf(difference.added.filter((item) => !contains(oldItems, item))),
  };
}

/** The elements of an array at the end of its path. An empty one has a key, too. */
function elementsAt(
  position: Position | undefined,
  field: KeyField | undefined,
): readonly Value[] | undefined {
  if (position?.value?.type !== T.array || position.at !== field?.path.length) return undefined;
  const { items } = position.value.value;
  return items.length > 0 ? items : undefined;
}

/** An update shares the values that it does not change. A second array on the paths is not handled here. */
function isSame(a: Position, b: Position | undefined): boolean {
  return a.value === b?.value && !isAtArray(a);
}

/** What remains without the elements that both begin and end with. */
function middles(
  before: readonly Value[],
  after: readonly Value[],
): { removed: readonly Value[]; added: readonly Value[] } | undefined {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  return removed.length <= maxChanged && added.length <= maxChanged ? { removed, added } : undefined;
}

function contains(items: readonly Value[], value: Value): boolean {
  return items.some((item) => equalValues(item, value));
}

function opened(value: Value, field: KeyField | undefined): Position {
  return { value, at: field?.path.length ?? 0, opened: true, emptyArray: false };
}
