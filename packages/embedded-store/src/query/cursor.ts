import { Doc } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import type { Collection } from "../storage/collection.ts";
import { Scan } from "../storage/scan.ts";
import { choosePlan, type Plan } from "./choose-plan.ts";
import type { Expression } from "./conjuncts.ts";
import { documentKeys, type KeyField, type KeySet } from "./keys.ts";
import { matches } from "./match.ts";
import type { MemoryShare } from "./memory.ts";
import { Sorter } from "./sorter.ts";
import { type DocumentSource, type Found, window } from "./source.ts";

/** A query: filter, order and window. */
export interface Query {
  readonly filter: Expression;
  readonly sort: readonly KeyField[];
  readonly skip: number;
  /** 0 means all. */
  readonly limit: number;
}

/** Opens a query's documents in order, using an index where one helps. */
export function openQuery(
  collection: Collection,
  query: Query,
  memory: MemoryShare,
): DocumentSource & { plan: Plan; scan: Scan } {
  const plan = choosePlan(collection, query);
  const scan = new Scan(collection, plan, memory);
  const matching = filtered(scan, plan.residual);
  const keep = query.limit === 0 ? Number.POSITIVE_INFINITY : query.skip + query.limit;
  const { pace } = collection.database;
  const ordered = plan.sorted ? matching : sorted(matching, query.sort, new Sorter(keep, pace, memory));
  return { plan, scan, run: window(ordered, query.skip, query.limit).run };
}

function filtered(scan: Scan, residual: Expression | undefined): DocumentSource {
  if (!residual) return scan;
  return {
    run: (visit) => scan.run((found) => !matches(residual, Doc.fromRaw(found.content)) || visit(found)),
  };
}

/** Reads all input on the first call. */
export function sorted(source: DocumentSource, sort: readonly KeyField[], sorter: Sorter): DocumentSource {
  let isRead = false;
  const add = (found: Found) => sorter.add(sortKey(Doc.fromRaw(found.content), sort), found);
  const run: DocumentSource["run"] = (visit) => {
    while (!isRead) {
      if (!sorter.hasRoom && !sorter.tidy()) return "paused";
      const progress = source.run(add);
      if (progress === "paused") return progress;
      isRead = progress === "ended";
    }
    return sorter.emit(visit);
  };
  return { run };
}

/** A document's sort key: its smallest one, if arrays produce several. */
export function sortKey(content: Doc, sort: readonly KeyField[]): Buffer {
  const { keys } = sortKeys(content, sort);
  return keys.reduce((least, key) => (Buffer.compare(key, least) < 0 ? key : least));
}

function sortKeys(content: Doc, sort: readonly KeyField[]): KeySet {
  try {
    return documentKeys(content, sort);
  } catch (error) {
    const isParallel = error instanceof StoreError && error.codeName === "CannotIndexParallelArrays";
    throw isParallel ? new StoreError("BadValue", "cannot sort with keys that are parallel arrays") : error;
  }
}
