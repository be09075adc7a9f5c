import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";

const formatVersion = 1;
const cacheKiB = 16 * 1024;

/** The directory cannot be opened: another server uses it, or its format is unknown. */
export class DirectoryError extends Error {
  constructor(directory: string, problem: string) {
    super(`cannot open the store in ${directory}: ${problem}`);
    this.name = "DirectoryError";
  }
}

/**
 * The SQLite file with prepared statements and one open transaction at a time. SQLite's exclusive lock is
 * the guard against a second server on the same directory; the kernel releases it when a process dies.
 */
export class Database {
  readonly #sqlite: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #inTransaction = false;
  /** The running command opened the transaction, so that nobody else's writes are in it. */
  #ownsTransaction = false;
  #hasSavepoint = false;
  /** Counts calls of `begin`; if it is unchanged, a command wrote nothing. */
  writes = 0;

  constructor(directory: string) {
    this.#sqlite = new DatabaseSync(makeFile(resolve(directory)), { timeout: 0 });
    try {
      this.#prepareFile(directory);
    } catch (error) {
      this.#sqlite.close();
      if (isBusy(error))
        throw new DirectoryError(directory, "another server is using it; stop that one first");
      throw error;
    }
  }

  #prepareFile(directory: string): void {
    this.#sqlite.exec("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;");
    this.#sqlite.exec(
      `PRAGMA cache_size=-${cacheKiB}; PRAGMA temp_store=MEMORY; PRAGMA wal_autocheckpoint=4000;`,
    );
    // Acquires the lock now, not on the first write.
    this.#sqlite.exec("BEGIN EXCLUSIVE");
    const found = this.#sqlite.prepare("PRAGMA user_version").get()?.user_version;
    if (found !== 0 && found !== formatVersion) {
      throw new DirectoryError(
        directory,
        `it has format ${found}, but this version reads format ${formatVersion}`,
      );
    }
    this.#sqlite.exec(`${schema}; PRAGMA user_version=${formatVersion}; COMMIT`);
  }

  /** Returns the prepared statement for this text, cached. Rows are arrays. */
  statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#sqlite.prepare(sql);
      statement.setReturnArrays(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Drops a table and its prepared statements. */
  dropTable(name: string): void {
    const mention = new RegExp(`\\b${name}\\b`);
    for (const sql of this.#statements.keys()) if (mention.test(sql)) this.#statements.delete(sql);
    this.execute(`DROP TABLE ${name}`);
  }

  /** Runs one-off statements (creating and dropping tables). */
  execute(sql: string): void {
    this.#sqlite.exec(sql);
  }

  get inTransaction(): boolean {
    return this.#inTransaction;
  }

  /** SQLite has rolled the transaction back by itself (disk full, I/O error): call `rollback`. */
  get lostTransaction(): boolean {
    return this.#inTransaction && !this.#sqlite.isTransaction;
  }

  /** Opens the transaction shared by this turn's writes, unless it is already open. */
  begin(): void {
    this.writes++;
    if (!this.#inTransaction) {
      this.statement("BEGIN IMMEDIATE").run();
      this.#inTransaction = true;
      this.#ownsTransaction = true;
    } else if (!this.#ownsTransaction && !this.#hasSavepoint) {
      this.statement("SAVEPOINT command").run();
      this.#hasSavepoint = true;
    }
  }

  /** Ends a command: what it wrote now belongs to the turn's transaction. */
  endCommand(): void {
    this.#ownsTransaction = false;
    if (!this.#hasSavepoint) return;
    this.#hasSavepoint = false;
    this.statement("RELEASE command").run();
  }

  /**
   * Undoes what the running command wrote and nothing else. Returns false if that is impossible because SQLite has
   * rolled the transaction back by itself.
   */
  undoCommand(): boolean {
    const isLost = this.lostTransaction;
    if (this.#ownsTransaction) this.rollback();
    else if (this.#hasSavepoint && !isLost) this.execute("ROLLBACK TO command; RELEASE command");
    this.#ownsTransaction = false;
    this.#hasSavepoint = false;
    return !isLost;
  }

  /** Makes the turn's writes durable: returns once they are on disk. */
  commit(): void {
    this.statement("COMMIT").run();
    this.#inTransaction = false;
  }

  rollback(): void {
    this.#inTransaction = false;
    this.#ownsTransaction = false;
    this.#hasSavepoint = false;
    // After some errors (disk full, I/O) SQLite has already rolled back by itself.
    if (this.#sqlite.isTransaction) this.#sqlite.exec("ROLLBACK");
  }

  close(): void {
    this.#statements.clear();
    this.#sqlite.close();
  }
}

/** Returns the file's path, creating it if missing, readable by its owner only even in a shared directory. */
function makeFile(directory: string): string {
  const path = join(directory, "store.sqlite");
  if (existsSync(path)) return path;
  const made = mkdirSync(directory, { recursive: true, mode: 0o700 });
  // SQLite creates its other files with the same mode.
  closeSync(openSync(path, "a", 0o600));
  syncParents(directory, dirname(made ?? directory));
  return path;
}

// SQLite syncs the directory of its files but not that directory's own entry: a power failure soon
// after the first start could then lose everything.
function syncParents(directory: string, last: string): void {
  if (process.platform === "win32") return;
  for (let parent = dirname(directory); ; parent = dirname(parent)) {
    sync(parent);
    if (parent === last || parent === dirname(parent)) return;
  }
}

function sync(directory: string): void {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(directory, "r");
    fsyncSync(descriptor);
  } catch (error) {
    // An unreadable directory, or a file system without fsync on directories, must not prevent a start.
    if (!isRefusal(error)) throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function isRefusal(error: unknown): boolean {
  const codes: unknown[] = ["EACCES", "EPERM", "EINVAL", "ENOTSUP"];
  return error instanceof Error && "code" in error && codes.includes(error.code);
}

const schema = `
CREATE TABLE IF NOT EXISTS collections (
  id INTEGER PRIMARY KEY, db TEXT NOT NULL, name TEXT NOT NULL, uuid BLOB NOT NULL, UNIQUE (db, name)
);
CREATE TABLE IF NOT EXISTS indexes (
  id INTEGER PRIMARY KEY, collection INTEGER NOT NULL, name TEXT NOT NULL, spec BLOB NOT NULL,
  multikey TEXT NOT NULL, UNIQUE (collection, name)
);
CREATE TABLE IF NOT EXISTS retries (
  session BLOB PRIMARY KEY, number INTEGER NOT NULL, reply BLOB NOT NULL, at INTEGER NOT NULL
) WITHOUT ROWID`;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (error.errcode === 5 || error.errcode === 6);
}
