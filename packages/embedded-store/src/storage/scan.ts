import { encodeDoc } from "../bson/encode.ts";
import { StoreError } from "../errors.ts";
import type { KeyRange } from "../query/bounds.ts";
import type { Plan } from "../query/choose-plan.ts";
import { type MemoryShare, rowBytes } from "../query/memory.ts";
import type { DocumentSource, Found, Progress } from "../query/source.ts";
import { bufferOf } from "./buffer-of.ts";
import type { Collection } from "./collection.ts";
import type { IndexTable, RowId } from "./index-table.ts";

/** Return false to stop; the next run continues after this document. */
type Visit = (found: Found) => boolean;

/**
 * Walks a plan's documents and can pause and resume: it remembers the last key and row, and keeps nothing
 * open in SQLite in between, so writes may happen between steps.
 */
export class Scan implements DocumentSource {
  readonly #collection: Collection;
  readonly #plan: Plan;
  readonly #ranges: readonly KeyRange[];
  readonly #memory: MemoryShare;
  // A document with an array has several entries, but is visited only once.
  readonly #seen: Set<RowId> | undefined;
  #isStarted = false;
  #range = 0;
  #lastKey: Buffer | undefined;
  #lastRow = 0;
  /** Entries or documents examined so far. */
  examined = 0;

  constructor(collection: Collection, plan: Plan, memory: MemoryShare) {
    this.#collection = collection;
    this.#memory = memory;
    this.#plan = plan;
    this.#ranges = plan.reverse ? [...plan.ranges].reverse() : plan.ranges;
    this.#seen = plan.index?.multikey.includes(true) ? new Set() : undefined;
  }

  /** Throws QueryPlanKilled if the collection or the index has been dropped since the last run. */
  run(visit: Visit): Progress {
    const { index } = this.#plan;
    if (this.#isStarted) this.#checkExistence(index);
    this.#isStarted = true;
    if (!index) return this.#runTable(visit);
    for (let range = this.#ranges[this.#range]; range; range = this.#ranges[this.#range]) {
      const progress = this.#runRange(index, range, visit);
      if (progress !== "ended") return progress;
      this.#range++;
      this.#lastKey = undefined;
      // Thousands of ranges may be empty.
      if (this.#collection.database.pace.spend(0)) return "paused";
    }
    return "ended";
  }

  // Numbers of dropped collections and indexes are used again.
  #checkExistence(index: IndexTable | undefined): void {
    const { database, id, uuid } = this.#collection;
    const sameCollection = "SELECT 1 FROM collections WHERE id = ? AND uuid = ?";
    const sameIndex = "SELECT 1 FROM indexes WHERE id = ? AND collection = ? AND spec = ?";
    const exists =
      database.statement(sameCollection).get(id, uuid) &&
      (!index || database.statement(sameIndex).get(index.id, id, encodeDoc(index.spec.source)));
    if (exists) return;
    const problem = `The collection ${this.#collection.namespace}, or the index that the command reads, has been dropped`;
    throw new StoreError("QueryPlanKilled", problem);
  }

  #visit(visit: Visit, found: Found): Progress | undefined {
    this.examined++;
    // Before the visit: a time limit that has passed must not leave a document half-counted.
    const isOver = this.#collection.database.pace.spend(found.content.length);
    if (!visit(found)) return "stopped";
    return isOver ? "paused" : undefined;
  }

  #runTable(visit: Visit): Progress {
    const sql = `SELECT row, content FROM documents_${this.#collection.id} WHERE row > ? ORDER BY row`;
    for (const row of this.#collection.database.statement(sql).iterate(this.#lastRow)) {
      if (!Array.isArray(row)) continue;
      this.#lastRow = Number(row[0]);
      const progress = this.#visit(visit, { row: this.#lastRow, content: bufferOf(row[1]) });
      if (progress) return progress;
    }
    return "ended";
  }

  #runRange(index: IndexTable, range: KeyRange, visit: Visit): Progress {
    for (const row of this.#rows(index, range)) {
      if (!Array.isArray(row)) continue;
      this.#lastKey = bufferOf(row[0]);
      this.#lastRow = Number(row[1]);
      const isNew = this.#see(this.#lastRow);
      const progress = this.#visit(isNew ? visit : skip, { row: this.#lastRow, content: bufferOf(row[2]) });
      if (progress) return progress;
    }
    return "ended";
  }

  /** Returns false if the document has been visited. */
  #see(row: RowId): boolean {
    if (!this.#seen) return true;
    if (this.#seen.has(row)) return false;
    this.#memory.take(rowBytes, "Query");
    this.#seen.add(row);
    return true;
  }

  #rows(index: IndexTable, range: KeyRange): Iterable<unknown> {
    const { database, id } = this.#collection;
    const from = `FROM index_${index.id} i CROSS JOIN documents_${id} d ON d.row = i.row`;
    if (this.#plan.reverse) {
      const sql = `SELECT i.key, i.row, d.content ${from} WHERE (i.key, i.row) < (?, ?) AND i.key >= ? ORDER BY i.key DESC, i.row DESC`;
      const start = this.#lastKey ?? range.high;
      return database.statement(sql).iterate(start, this.#lastKey ? this.#lastRow : 0, range.low);
    }
    const sql = `SELECT i.key, i.row, d.content ${from} WHERE (i.key, i.row) > (?, ?) AND i.key < ? ORDER BY i.key, i.row`;
    const start = this.#lastKey ?? range.low;
    return database.statement(sql).iterate(start, this.#lastKey ? this.#lastRow : 0, range.high);
  }
}

// A document with several entries has been visited already.
function skip(): boolean {
  return true;
}
