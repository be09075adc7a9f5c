import { randomBytes } from "node:crypto";
import type { MemoryShare } from "../query/memory.ts";
import type { DocumentSource } from "../query/source.ts";

/** A query whose remaining documents are fetched with getMore. */
export interface OpenCursor {
  readonly namespace: string;
  readonly source: DocumentSource;
  /** Turns a stored document into the client's view of it (the projection). */
  readonly present: (content: Buffer) => Buffer;
  /** Kept in use as long as the cursor is open. */
  readonly memory: MemoryShare;
  /** The connection that used it last. */
  client: object | undefined;
  /** A command is reading from it. */
  isInUse?: boolean;
  /** A document that did not fit into the last batch. */
  held?: Buffer;
}

const idleMs = 10 * 60_000;

/** Open cursors by id; a cursor expires after ten idle minutes. */
export class CursorTable {
  readonly #cursors = new Map<bigint, { cursor: OpenCursor; usedAtMs: number }>();
  readonly #now: () => number;
  /** Opened or read since the last commit. */
  readonly #unsettled = new Set<bigint>();

  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#cursors.size;
  }

  ids(): IterableIterator<bigint> {
    return this.#cursors.keys();
  }

  add(cursor: OpenCursor): bigint {
    // 63 random bits: ids cannot be guessed and are positive longs.
    const id = (randomBytes(8).readBigUInt64LE() >> 1n) | 1n;
    this.#cursors.set(id, { cursor, usedAtMs: this.#now() });
    this.#unsettled.add(id);
    cursor.memory.retain();
    return id;
  }

  /** Returns a cursor for reading. */
  get(id: bigint, client?: object): OpenCursor | undefined {
    const entry = this.#cursors.get(id);
    if (!entry) return undefined;
    entry.usedAtMs = this.#now();
    entry.cursor.client = client;
    this.#unsettled.add(id);
    return entry.cursor;
  }

  remove(id: bigint): boolean {
    this.#cursors.get(id)?.cursor.memory.release();
    return this.#cursors.delete(id);
  }

  /** Removes the cursors of a dropped collection or index. */
  removeOf(namespace: string): void {
    for (const [id, { cursor }] of this.#cursors) if (cursor.namespace === namespace) this.remove(id);
  }

  /** Removes the cursors that occupy memory and whose connection has closed: their client hardly returns. */
  removeOfClient(client: object): void {
    for (const [id, { cursor }] of this.#cursors)
      if (cursor.client === client && cursor.memory.bytes > 0) this.remove(id);
  }

  /** The documents read since the last call have been sent. */
  settle(): void {
    if (this.#unsettled.size > 0) this.#unsettled.clear();
  }

  /** Removes the cursors that were opened or read since `settle`: their clients do not receive the results. */
  undo(): void {
    for (const id of this.#unsettled) this.remove(id);
    this.#unsettled.clear();
  }

  removeIdle(): void {
    const limit = this.#now() - idleMs;
    for (const [id, { cursor, usedAtMs }] of this.#cursors)
      if (usedAtMs < limit && !cursor.isInUse) this.remove(id);
  }
}
