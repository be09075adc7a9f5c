import { encodeDoc } from "../bson/encode.ts";
import { Doc } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { bufferOf } from "./collection.ts";
import type { Database } from "./database.ts";

/** As long as the logical session timeout that `hello` announces. */
const keepMs = 30 * 60_000;

/**
 * Each session's latest write and its reply, stored in the same commit: a client that resends
 * a write because it never saw the reply gets the same reply, and the write is not applied twice.
 */
export class RetryLog {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Returns the reply already sent for this write. Throws TransactionTooOld if the session has a later one. */
  find(session: Buffer, number: bigint): Doc | undefined {
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
    return latest === number ? Doc.fromRaw(bufferOf(row[1])) : undefined;
  }

  record(session: Buffer, number: bigint, reply: Doc): void {
    const upsert = "INSERT OR REPLACE INTO retries (session, number, reply, at) VALUES (?, ?, ?, ?)";
    this.#database.statement(upsert).run(session, number, encodeDoc(reply), this.#now());
  }

  remove(session: Buffer): void {
    this.#database.begin();
    this.#database.statement("DELETE FROM retries WHERE session = ?").run(session);
  }

  removeOld(): void {
    const limit = this.#now() - keepMs;
    const old = this.#database.statement("SELECT 1 FROM retries WHERE at < ? LIMIT 1").get(limit);
    if (!old) return;
    this.#database.begin();
    this.#database.statement("DELETE FROM retries WHERE at < ?").run(limit);
  }
}
