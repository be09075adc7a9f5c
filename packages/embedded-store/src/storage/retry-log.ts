import { encodeDoc } from "../bson/encode.ts";
import { doc } from "../bson/plain.ts";
import { T } from "../bson/types.ts";
import { Doc } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import type { Steps } from "../steps.ts";
import { bufferOf } from "./buffers.ts";
import type { Database } from "./database.ts";
import { type ReplyImage, rebuild, recipeFor, recipeIn } from "./resend.ts";

/** As long as the logical session timeout that `hello` announces. */
const keepMs = 30 * 60_000;

/** Replies up to this size are stored whole. */
const smallReplyBytes = 2048;

/** The replies that are read before others can run. */
const stepRows = 64;

const maxRecentBytes = 32 * 1024 * 1024;

interface RecentReply {
  readonly number: bigint;
  readonly reply: Doc;
  readonly bytes: number;
}

/** Identifies a write among all of a client's writes. */
export interface RetryKey {
  readonly session: Buffer;
  readonly number: bigint;
}

const progressName = "$progress";

/** The progress of an interrupted write in the form that the log keeps. */
export function progressDoc(progress: Doc): Doc {
  return doc({ [progressName]: progress });
}

/** One run of a retryable write. */
export class RetryableRun {
  readonly #record: (reply: Doc, image?: ReplyImage) => void;
  /** Ends the run, whether it is complete or not. */
  readonly end: () => void;
  #hasWritten = false;
  #isReplaced = false;

  constructor(record: (reply: Doc, image?: ReplyImage) => void, end: () => void) {
    this.#record = record;
    this.end = end;
  }

  noteWrite(): void {
    this.#hasWritten = true;
  }

  /** Logs a reply or progress, unless the write has changed nothing. */
  record(reply: Doc, image?: ReplyImage): void {
    if (this.#hasWritten) this.#record(reply, image);
  }

  /** A resend continues the write. */
  replace(): void {
    this.#isReplaced = true;
  }

  /** Throws Interrupted if a resend continues the write. */
  check(): void {
    if (this.#isReplaced) throw new StoreError("Interrupted", "A resend of the write continues it");
  }
}

/**
 * Each session's latest write and its reply, stored in the same commit: a client that resends
 * a write because it never saw the reply gets the same reply, and the write is not applied twice.
 */
export class RetryLog {
  readonly #database: Database;
  readonly #now: () => number;
  // Large replies, for resends after another client has changed the document.
  readonly #recent = new Map<string, RecentReply>();
  #recentBytes = 0;
  readonly #running = new Map<string, RetryableRun>();
  /** No reply in the log is older. */
  #oldestMs = 0;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /**
   * Returns the reply already sent for this write, or its progress if it was interrupted. Throws TransactionTooOld if
   * the session has a later one.
   */
  find(session: Buffer, number: bigint): { reply?: Doc; progress?: Doc } | undefined {
    const row = this.#database
      .statement("SELECT CAST(number AS TEXT), reply FROM retries WHERE session = ?")
      .get(session);
    if (!Array.isArray(row)) return undefined;
    const latest = BigInt(String(row[0]));
    if (latest > number) {
      throw new StoreError(
        "TransactionTooOld",
        `Retryable write ${number} is older than the session's ${latest}`,
      );
    }
    if (latest !== number) return undefined;
    const stored = Doc.fromRaw(bufferOf(row[1]));
    const progress = stored.firstName() === progressName ? stored.get(progressName) : undefined;
    if (progress?.type === T.document) return { progress: progress.value };
    const recipe = recipeIn(stored);
    if (!recipe) return { reply: stored };
    const recent = this.#recent.get(session.toString("latin1"));
    if (recent?.number === number) return { reply: recent.reply };
    return { reply: rebuild(recipe, (collection, place) => this.#contentAt(collection, place)) };
  }

  /** Starts a run of a write. If it is running already, on a connection that the client has given up, that run ends. */
  startRun({ session, number }: RetryKey): RetryableRun {
    const key = session.toString("latin1");
    this.#running.get(key)?.replace();
    const run = new RetryableRun(
      (reply, image) => this.record(session, number, reply, image),
      () => {
        if (this.#running.get(key) === run) this.#running.delete(key);
      },
    );
    this.#running.set(key, run);
    return run;
  }

  #contentAt(collection: number, row: number): Buffer | undefined {
    const exists = this.#database.statement("SELECT 1 FROM collections WHERE id = ?").get(collection);
    if (!exists) return undefined;
    const select = `SELECT content FROM documents_${collection} WHERE row = ?`;
    const found = this.#database.statement(select).get(row);
    return Array.isArray(found) ? bufferOf(found[0]) : undefined;
  }

  /** Logs a reply in the write's own commit. `image` describes the document in it, which is then not stored again. */
  record(session: Buffer, number: bigint, reply: Doc, image?: ReplyImage): void {
    this.#database.begin();
    const content = encodeDoc(reply);
    const isLarge = image !== undefined && content.length > smallReplyBytes;
    if (isLarge)
      this.#remember(session.toString("latin1"), {
        number,
        reply: Doc.fromRaw(content),
        bytes: content.length,
      });
    const stored = isLarge ? encodeDoc(recipeFor(reply, image)) : content;
    const upsert = "INSERT OR REPLACE INTO retries (session, number, reply, at) VALUES (?, ?, ?, ?)";
    this.#database.statement(upsert).run(session, number, stored, this.#now());
  }

  #remember(session: string, entry: RecentReply): void {
    this.#forget(session);
    this.#recent.set(session, entry);
    this.#recentBytes += entry.bytes;
    for (const oldest of this.#recent.keys()) {
      if (this.#recentBytes <= maxRecentBytes) break;
      this.#forget(oldest);
    }
  }

  #forget(session: string): void {
    this.#recentBytes -= this.#recent.get(session)?.bytes ?? 0;
    this.#recent.delete(session);
  }

  remove(session: Buffer): void {
    this.#database.begin();
    this.#forget(session.toString("latin1"));
    this.#database.statement("DELETE FROM retries WHERE session = ?").run(session);
  }

  /** Removes the replies that clients no longer resend, in slices. Reads nothing if none can have expired. */
  *removeOld(): Steps<undefined> {
    const limitMs = this.#now() - keepMs;
    if (this.#oldestMs >= limitMs) return undefined;
    let oldestMs = this.#now();
    let last: Buffer = Buffer.alloc(0);
    const select = `SELECT session, at FROM retries WHERE session > ? ORDER BY session LIMIT ${stepRows}`;
    for (;;) {
      const rows = this.#database.statement(select).all(last);
      for (const row of rows) {
        if (!Array.isArray(row)) continue;
        last = bufferOf(row[0]);
        const atMs = Number(row[1]);
        if (atMs < limitMs) this.remove(last);
        else oldestMs = Math.min(oldestMs, atMs);
      }
      if (rows.length < stepRows) break;
      if (this.#database.pace.spend(rows.length * 1024)) yield;
    }
    this.#oldestMs = oldestMs;
    return undefined;
  }
}
