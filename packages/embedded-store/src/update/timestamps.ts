import { T } from "../bson/types.ts";
import type { Doc } from "../bson/value.ts";

let latestTimestamp = 0n;

/** As a document is inserted or replaced, empty timestamps outside nested documents become the current one. */
export function withTimestamps(doc: Doc, nowMs: number): Doc {
  let changed: Doc | undefined;
  for (const [name, { type, value }] of doc) {
    if (type !== T.timestamp || value !== 0n || name === "_id") continue;
    const second = BigInt(Math.floor(nowMs / 1000)) << 32n;
    latestTimestamp = (latestTimestamp > second ? latestTimestamp : second) + 1n;
    changed ??= doc.copy();
    changed.set(name, { type: T.timestamp, value: latestTimestamp });
  }
  return changed ?? doc;
}
