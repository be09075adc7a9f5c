import { encodeDoc } from "../bson/encode.ts";
import { T } from "../bson/types.ts";
import { Doc, type Value } from "../bson/value.ts";

/** The same value without its document, which would otherwise stay in memory as a whole. */
export function detached(value: Value): Value {
  return isPart(value) ? copied(value).value : value;
}

/** A detached value and its size. */
export function copied(value: Value): { value: Value; bytes: number } {
  const copy = encodeDoc(new Doc([["value", value]]));
  return { value: Doc.fromRaw(copy).get("value") ?? value, bytes: copy.length };
}

function isPart({ type }: Value): boolean {
  return (
    type === T.document ||
    type === T.array ||
    type === T.binary ||
    type === T.objectId ||
    type === T.decimal128
  );
}
