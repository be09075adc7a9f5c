import type { KeyRange } from "../query/bounds.ts";
import type { Plan } from "../query/plan.ts";
import { bufferOf, type Collection } from "./collection.ts";
import type { IndexTable, RowId } from "./index-table.ts";

/** Return false to stop; the next run continues after this document. */
export type Visit = (row: RowId, content: Buffer) => boolean;

/** The number of documents between two checks of the clock. */
const checkEvery = 128;

/**
 * Walks a plan's documents and can pause and resume: it remembers the last key and row, and keeps nothing
 * open in SQLite in between, so writes may happen between steps.
 */
export class Scan {
  readonly #collection: Collection;
  readonly #plan: Plan;
  readonly #ranges: readonly KeyRange[];
  // A document with an array has several entries, but is visited only once.
  readonly #seen: Set<RowId> | undefined;
  #range = 0;
  #lastKey: Buffer | undefined;
  #lastRow = 0;
  /** Entries or documents examined so far. */
  examined = 0;

  constructor(collection: Collection, plan: Plan) {
    this.#collection = collection;
    this.#plan = plan;
    this.#ranges = plan.reverse ? [...plan.ranges].reverse() : plan.ranges;
    this.#seen = plan.index?.multikey.includes(true) ? new Set() : undefined;
  }

  /** Visits documents until `visit` returns false; returns true at the end. */
  run(visit: Visit): boolean {
    const { index } = this.#plan;
    if (!index) return this.#runTable(visit);
    for (let range = this.#ranges[this.#range]; range; range = this.#ranges[this.#range]) {
      if (!this.#runRange(index, range, visit)) return false;
      this.#range++;
      this.#lastKey = undefined;
    }
    return true;
  }

  #count(): void {
    if (++this.examined % checkEvery === 0) this.#collection.database.checkTime();
  }

  #runTable(visit: Visit): boolean {
    const sql = `SELECT row, content FROM documents_${this.#collection.id} WHERE row > ? ORDER BY row`;
    for (const row of this.#collection.database.statement(sql).iterate(this.#lastRow)) {
      if (!Array.isArray(row)) continue;
      this.#lastRow = Number(row[0]);
      this.#count();
      if (!visit(this.#lastRow, bufferOf(row[1]))) return false;
    }
    return true;
  }

  #runRange(index: IndexTable, range: KeyRange, visit: Visit): boolean {
    for (const row of this.#rows(index, range)) {
      if (!Array.isArray(row)) continue;
      this.#lastKey = bufferOf(row[0]);
      this.#lastRow = Number(row[1]);
      this.#count();
      if (this.#seen?.has(this.#lastRow)) continue;
      this.#seen?.add(this.#lastRow);
      if (!visit(this.#lastRow, bufferOf(row[2]))) return false;
    }
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
