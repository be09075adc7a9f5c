import { T } from "../bson/types.ts";
import type { Doc, Value } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import type { Path } from "../query/path.ts";
import { set, unset } from "./field-operators.ts";
import { changeAt } from "./modifier.ts";

/** `$rename`: moves a value, if there is one. Neither path may pass through an array. */
export function rename(doc: Doc, from: Path, to: Path): Doc {
  const value = valueOutsideArrays(doc, from, "source");
  if (value === undefined) return doc;
  valueOutsideArrays(doc, to, "destination");
  return changeAt(changeAt(doc, from, unset()), to, set(value));
}

function valueOutsideArrays(doc: Doc, path: Path, role: string): Value | undefined {
  let value: Value | undefined = { type: T.document, value: doc };
  for (const part of path) {
    if (value?.type === T.array) {
      throw new StoreError(
        "BadValue",
        `The ${role} field of $rename cannot be an array element, '${path.join(".")}'`,
      );
    }
    value = value?.type === T.document ? value.value.get(part) : undefined;
  }
  return value;
}
