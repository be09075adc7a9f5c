import { entryBytes } from "../query/memory.ts";
import { compareKeys, Merge } from "../query/merge.ts";
import { type Packed, Slabs } from "../query/slabs.ts";
import { runLength } from "../query/sorter.ts";
import type { Steps } from "../steps.ts";
import type { Database } from "./database.ts";
import { isFullDisk } from "./disk-reserve.ts";
import type { RowId } from "./index-table.ts";
import { RunFile } from "./run-file.ts";

const noContent = Buffer.alloc(0);

/**
 * The entries of an index that is being built, in the order of their keys: inserted in that order, they fill one page
 * of the index after the other; in any other order, nearly each would change a page of its own, and the next commit
 * would write them all. What exceeds `maxBytes` of memory goes into a file.
 */
export class SortedKeys {
  readonly #database: Database;
  readonly #fileName: string;
  readonly #maxBytes: number;
  #file: RunFile | undefined;
  #slabs = new Slabs();
  #run: Packed[] = [];
  #runs: Packed[][] = [];
  #bytes = 0;

  constructor(database: Database, fileName: string, maxBytes: number) {
    this.#database = database;
    this.#fileName = fileName;
    this.#maxBytes = maxBytes;
  }

  add(key: Buffer, row: RowId): void {
    this.#run.push(this.#slabs.pack(key, noContent, row));
    this.#bytes += key.length + entryBytes;
    if (this.#run.length >= runLength) this.#endRun();
  }

  #endRun(): void {
    if (this.#run.length > 0) this.#runs.push(this.#run.sort(compareKeys));
    this.#run = [];
  }

  /** `spill` has to run before the next entry is added. */
  get isFull(): boolean {
    return this.#bytes >= this.#maxBytes;
  }

  /** Moves the entries in memory into the file. Throws OutOfDiskSpace. */
  *spill(): Steps<void> {
    try {
      this.#file ??= new RunFile(this.#database.directory, this.#fileName);
      yield* this.#writeRun(this.#file);
    } catch (error) {
      throw isFullDisk(error) ? this.#database.diskFull(false) : error;
    }
    this.#slabs = new Slabs();
    this.#runs = [];
    this.#bytes = 0;
  }

  *#writeRun(file: RunFile): Steps<void> {
    this.#endRun();
    const merge = new Merge(this.#runs);
    for (let entry = merge.next(); entry; entry = merge.next()) {
      file.append(entry);
      if (this.#database.pace.spend(entry.keyLength)) yield;
    }
    file.endRun();
  }

  /** All entries in order. Call it once, after the last `add`. */
  merge(): Merge {
    this.#endRun();
    return new Merge([...(this.#file?.runs() ?? []), ...this.#runs]);
  }

  close(): void {
    this.#file?.close();
  }
}
