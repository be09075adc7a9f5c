import { depthOf } from "../bson/depth.ts";
import { show } from "../bson/show.ts";
import { T } from "../bson/types.ts";
import { maxDepth } from "../bson/validate.ts";
import { Doc, document, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import { arrayIndex, type Path } from "../query/path.ts";

/** An operator's effect on the value at its path. */
export interface Modifier {
  /** Returns the new value, the same object for "no change", or undefined to remove the field. */
  readonly change: (current: Value | undefined) => Value | undefined;
  /** Creates a missing path; operators without this (`$unset`, `$pull`) then do nothing. */
  readonly creates: boolean;
  /** Does nothing if the path leads through a scalar (`$unset`); other operators then fail. */
  readonly ignoresBlockedPaths?: boolean;
  /** Counts as a change even if the document stays the same, as when a `$slice` removes the element that a `$push` adds. */
  readonly alwaysCounts?: boolean;
}

/** Applies a modifier at a path. Returns the same document if nothing changes, else a changed copy. */
export function changeAt(doc: Doc, path: Path, modifier: Modifier, at = 0): Doc {
  const name = path[at] ?? "";
  const current = doc.get(name);
  const next = changeBelow(current, path, at, modifier);
  if (next === current) return doc;
  const copy = doc.copy();
  if (next === undefined) copy.delete(name);
  else copy.set(name, next);
  return copy;
}

/**
 * Throws Overflow if `value` at a path of `parts` parts would be nested too deeply. Stored documents are within the
 * limit, so only the additions of an update have to be checked.
 */
export function checkDepth(value: Value, parts: number): void {
  if (parts - 1 + depthOf(value) <= maxDepth) return;
  throw new StoreError("Overflow", `The update would nest a document more than ${maxDepth} levels deep`);
}

// The new value of the field that path[at] names.
function changeBelow(
  current: Value | undefined,
  path: Path,
  at: number,
  modifier: Modifier,
): Value | undefined {
  if (at === path.length - 1) return modifier.change(current);
  if (current === undefined) return createBelow(path, at, modifier);
  if (current.type === T.document) {
    const child = changeAt(current.value, path, modifier, at + 1);
    return child === current.value ? current : document(child);
  }
  if (current.type === T.array && arrayIndex(path[at + 1] ?? "") >= 0)
    throw notSupported(`A position in the path of an update ('${path.join(".")}')`);
  if (!modifier.ignoresBlockedPaths) throw notViable(current, path, at);
  return current;
}

function createBelow(path: Path, at: number, modifier: Modifier): Value | undefined {
  if (!modifier.creates) return undefined;
  let value = modifier.change(undefined);
  for (let i = path.length - 1; i > at && value !== undefined; i--) {
    value = document(new Doc([[path[i] ?? "", value]]));
  }
  return value;
}

function notViable(element: Value, path: Path, at: number): StoreError {
  const problem = `Cannot create field '${path[at + 1]}' in element {${path[at]}: ${show(element)}}`;
  return new StoreError("PathNotViable", problem);
}

export function immutableId(): StoreError {
  const problem = "Performing an update on the path '_id' would modify the immutable field '_id'";
  return new StoreError("ImmutableField", problem);
}
