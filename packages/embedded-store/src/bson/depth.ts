import { afterName, afterValue } from "./layout.ts";
import { T } from "./types.ts";
import type { Doc, Value } from "./value.ts";

/** How many documents and arrays are nested in a value: 0 for a scalar, 1 for a document of scalars. */
export function depthOf(value: Value): number {
  if (value.type === T.document) return 1 + depthInside(value.value.raw, fieldsOf(value.value));
  if (value.type === T.array) return 1 + depthInside(value.value.raw, () => value.value.items);
  return 0;
}

function fieldsOf(doc: Doc): () => Iterable<Value> {
  return () => doc.fields.values();
}

// Undecoded parts are scanned as bytes, which neither copies nor decodes them.
function depthInside(raw: Buffer | undefined, values: () => Iterable<Value>): number {
  if (raw) return rawDepth(raw, 0, raw.length);
  let deepest = 0;
  for (const value of values()) deepest = Math.max(deepest, depthOf(value));
  return deepest;
}

function rawDepth(raw: Buffer, start: number, end: number): number {
  let deepest = 0;
  let at = start + 4;
  while (at < end - 1) {
    const type = raw[at] ?? 0;
    const valueStart = afterName(raw, at + 1);
    at = afterValue(raw, type, valueStart);
    const isContainer = type === T.document || type === T.array;
    if (isContainer) deepest = Math.max(deepest, 1 + rawDepth(raw, valueStart, at));
  }
  return deepest;
}
