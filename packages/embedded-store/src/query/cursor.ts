import { Doc } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import type { Collection } from "../storage/collection.ts";
import type { RowId } from "../storage/index-table.ts";
import { Scan } from "../storage/scan.ts";
import type { Expression } from "./expression.ts";
import { documentKeys, type KeyField, type KeySet } from "./keys.ts";
import { matches } from "./match.ts";
import { choosePlan, type Plan } from "./plan.ts";

/** A query: filter, order and window. */
export interface Query {
  readonly filter: Expression;
  readonly sort: readonly KeyField[];
  readonly skip: number;
  /** 0 means all. */
  readonly limit: number;
}

/** A source that yields documents on demand. */
export interface DocumentSource {
  /** Passes documents to `visit` until it returns false; returns true at the end. */
  run(visit: (content: Buffer, row: RowId) => boolean): boolean;
}

const maxSortBytes = 100 * 1024 * 1024;

/** Opens a query's documents in order, using an index where one helps. */
export function openQuery(collection: Collection, query: Query): DocumentSource & { plan: Plan; scan: Scan } {
  const plan = choosePlan(collection, query.filter, query.sort);
  const scan = new Scan(collection, plan);
  const matching = filtered(scan, plan.residual);
  const ordered = plan.sorted ? matching : sorted(matching, query);
  return { plan, scan, run: window(ordered, query.skip, query.limit).run };
}

function filtered(scan: Scan, residual: Expression | undefined): DocumentSource {
  return {
    run: (visit) =>
      scan.run((row, content) => {
        if (residual && !matches(residual, Doc.fromRaw(content))) return true;
        return visit(content, row);
      }),
  };
}

interface SortEntry {
  readonly key: Buffer;
  readonly content: Buffer;
  readonly row: RowId;
}

// Reads all input on the first call but keeps only the window's documents.
function sorted(source: DocumentSource, query: Query): DocumentSource {
  let entries: SortEntry[] | undefined;
  let next = 0;
  const run: DocumentSource["run"] = (visit) => {
    entries ??= sortAll(source, query);
    for (let entry = entries[next]; entry; entry = entries[next]) {
      next++;
      if (!visit(entry.content, entry.row)) return next >= (entries?.length ?? 0);
    }
    return true;
  };
  return { run };
}

function sortAll(source: DocumentSource, query: Query): SortEntry[] {
  const keep = query.limit === 0 ? Number.POSITIVE_INFINITY : query.skip + query.limit;
  let entries: SortEntry[] = [];
  let bytes = 0;
  const order = () => entries.sort((a, b) => Buffer.compare(a.key, b.key)).slice(0, keep);
  source.run((content, row) => {
    entries.push({ key: sortKey(Doc.fromRaw(content), query.sort), content, row });
    bytes += content.length;
    if (entries.length > 2 * keep + 1000) {
      entries = order();
      bytes = entries.reduce((sum, entry) => sum + entry.content.length, 0);
    }
    if (bytes > maxSortBytes) throw tooMuchToSort();
    return true;
  });
  return order();
}

function tooMuchToSort(): StoreError {
  const problem = `Sort exceeded memory limit of ${maxSortBytes} bytes; add an index for it or a limit`;
  return new StoreError("QueryExceededMemoryLimitNoDiskUseAllowed", problem);
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

function window(source: DocumentSource, skip: number, limit: number): DocumentSource {
  let skipped = 0;
  let given = 0;
  const run: DocumentSource["run"] = (visit) => {
    if (limit > 0 && given >= limit) return true;
    const ended = source.run((content, row) => {
      if (skipped < skip) {
        skipped++;
        return true;
      }
      given++;
      return visit(content, row) && !(limit > 0 && given >= limit);
    });
    return ended || (limit > 0 && given >= limit);
  };
  return { run };
}
