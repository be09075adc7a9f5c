import { show } from "../bson/show.ts";
import { T } from "../bson/types.ts";
import type { Doc, Value } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { arrayIndex, type Path } from "../query/path.ts";
import { set, unset } from "./field-operators.ts";
import { changeAt, checkDepth, immutableId } from "./modifier.ts";

/**
 * `$rename`: moves a value, if there is one. Neither path may pass through an array or a scalar, nor end at the `_id` of an
 * existing document, whatever the value.
 */
export function rename(doc: Doc, from: Path, to: Path, inserting: boolean): Doc {
  const value = sourceValue(doc, from);
  if (value === undefined) return doc;
  if (to[0] === "_id" && !inserting) throw immutableId();
  refuseArrays(doc, to);
  checkDepth(value, to.length);
  return changeAt(changeAt(doc, from, unset()), to, set(value));
}

function sourceValue(doc: Doc, path: Path): Value | undefined {
  let value: Value | undefined = { type: T.document, value: doc };
  let isInArray = false;
  for (const part of path) {
    if (value === undefined) return undefined;
    if (value.type === T.document) value = value.value.get(part);
    else if (value.type === T.array && arrayIndex(part) >= 0) {
      value = value.value.items[arrayIndex(part)];
      isInArray = true;
    } else throw notViable(path, part, value);
  }
  if (value !== undefined && isInArray) throw arrayElement("source", path);
  return value;
}

function notViable(path: Path, part: string, value: Value): StoreError {
  const problem = `Cannot use the part (${part}) of (${path.join(".")}) to traverse the element (${show(value)})`;
  return new StoreError("PathNotViable", problem);
}

function refuseArrays(doc: Doc, path: Path): void {
  let value: Value | undefined = { type: T.document, value: doc };
  for (const part of path) {
    if (value?.type === T.array) throw arrayElement("destination", path);
    value = value?.type === T.document ? value.value.get(part) : undefined;
  }
}

function arrayElement(role: string, path: Path): StoreError {
  const problem = `The ${role} field of $rename cannot be an array element, '${path.join(".")}'`;
  return new StoreError("BadValue", problem);
}
