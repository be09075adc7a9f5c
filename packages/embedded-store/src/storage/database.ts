import { resolve } from "node:path";
import { backup, DatabaseSync, type StatementSync } from "node:sqlite";
import { DamagedDocument } from "../bson/layout.ts";
import { StoreError } from "../errors.ts";
import { Pace } from "../pace.ts";
import {
  type DataDirectory,
  DirectoryError,
  dataName,
  describePlace,
  isUnchecked,
  makeDataFile,
  markChecked,
  markCreated,
  markUnchecked,
} from "./data-file.ts";
import { DiskReserve, NoRoomError } from "./disk-reserve.ts";
import { openProblem } from "./open-problem.ts";

/** The format of the data file, in SQLite's `user_version`. */
export const formatVersion = 1;
const cacheKiB = 16 * 1024;

/** A longer log is moved into the data file while all clients wait: 4 MB take about 10 ms. */
const maxLogPages = 1000;

/**
 * The SQLite file with prepared statements and one open transaction at a time. SQLite's exclusive lock is
 * the guard against a second server on the same directory; the kernel releases it when a process dies.
 */
export class Database {
  readonly #sqlite: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #inTransaction = false;
  /** The log has grown since `shortenLog`. */
  #hasGrown = false;
  /** Reported, and not solved yet: each commit meets it again. */
  #logProblem = "";
  #backups = 0;
  /** The open transaction contains only the running command's writes. */
  #ownsTransaction = false;
  #hasSavepoint = false;
  /** Counts calls of `begin`; if it is unchanged, a command wrote nothing. */
  writes = 0;

  /** The path of the directory. */
  readonly directory: string;
  /** The directory and its setting, for messages. */
  readonly place: string;
  readonly #reserve: DiskReserve;
  /** The running command frees space, so that it may use the reserve of a full disk. */
  freesSpace = false;
  /** The limit of the running command. Finite if larger commits have failed because the disk is full. */
  writesPerCommit = Number.POSITIVE_INFINITY;
  /** The value of `writes` when the transaction began. */
  #writesBefore = 0;

  /** A server of this directory was killed, and the data has not been checked completely since. */
  readonly isUnchecked: boolean;
  /** Damage is known, or may be there because of a crash: documents are checked completely before clients receive them. */
  isSuspect: boolean;
  /** Discarded tables exist, which have to be emptied. */
  hasTrash = true;
  /** How long the running command may continue. */
  readonly pace: Pace;
  readonly #log: (line: string) => void;

  constructor(directory: DataDirectory, log: (line: string) => void, pace = new Pace()) {
    this.#log = log;
    this.pace = pace;
    const resolved = { ...directory, path: resolve(directory.path) };
    this.place = describePlace(resolved);
    this.directory = resolved.path;
    this.isUnchecked = isUnchecked(resolved.path);
    this.isSuspect = this.isUnchecked;
    this.#sqlite = explained(resolved, () => new DatabaseSync(makeDataFile(resolved), { timeout: 0 }));
    try {
      explained(resolved, () => this.#prepareFile(resolved));
    } catch (error) {
      this.#sqlite.close();
      throw error;
    }
    if (this.isUnchecked) markUnchecked(resolved.path);
    this.#reserve = new DiskReserve(resolved.path, log);
    this.#keepReserve();
  }

  /** The data has been checked completely. */
  noteChecked(): void {
    this.isSuspect = false;
    markChecked(this.directory);
  }

  #prepareFile(directory: DataDirectory): void {
    this.#sqlite.exec("PRAGMA locking_mode=EXCLUSIVE");
    this.#refuseForeign(directory);
    this.#sqlite.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;");
    this.#sqlite.exec(
      `PRAGMA cache_size=-${cacheKiB}; PRAGMA temp_store=MEMORY; PRAGMA wal_autocheckpoint=0;`,
    );
    // Acquires the lock now, not on the first write.
    this.#sqlite.exec("BEGIN EXCLUSIVE");
    const found = this.#sqlite.prepare("PRAGMA user_version").get()?.user_version;
    if (found !== 0 && found !== formatVersion) {
      throw new DirectoryError(
        directory,
        `it has format ${found}, but this version of Muster reads format ${formatVersion}; use a later version, or choose another folder`,
      );
    }
    // An existing store must open without a write, because the disk may be full.
    if (found === 0) this.#sqlite.exec(`${schema}; PRAGMA user_version=${formatVersion}`);
    this.#sqlite.exec("COMMIT");
    markCreated(directory.path);
  }

  /** Before anything is written: the file may belong to another program, which would lose its settings or more. */
  #refuseForeign(directory: DataDirectory): void {
    const tables = this.#sqlite.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    const names = new Set(tables.map(({ name }) => name));
    const version = this.#sqlite.prepare("PRAGMA user_version").get()?.user_version;
    const isOurs = version === formatVersion ? names.has("indexes") : version !== 0;
    if (names.size > 0 && !isOurs) {
      throw new DirectoryError(
        directory,
        `its file ${dataName} belongs to another program; choose another folder`,
      );
    }
  }

  /** Returns the prepared statement for this text, cached. Rows are arrays. */
  statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Like `statement`, for a text that is used once. */
  prepare(sql: string): StatementSync {
    const statement = this.#sqlite.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  /** Drops a table and its prepared statements. */
  dropTable(name: string): void {
    this.#forgetStatements(name);
    this.execute(`DROP TABLE ${name}`);
  }

  renameTable(name: string, to: string): void {
    this.#forgetStatements(name);
    this.execute(`ALTER TABLE ${name} RENAME TO ${to}`);
  }

  #forgetStatements(table: string): void {
    const mention = new RegExp(`\\b${table}\\b`);
    for (const sql of this.#statements.keys()) if (mention.test(sql)) this.#statements.delete(sql);
  }

  /** Runs one-off statements (creating and dropping tables). */
  execute(sql: string): void {
    this.#sqlite.exec(sql);
  }

  get inTransaction(): boolean {
    return this.#inTransaction;
  }

  /** A copy is being made. It makes progress only between transactions. */
  get isBackingUp(): boolean {
    return this.#backups > 0;
  }

  /** SQLite has rolled the transaction back by itself (disk full, I/O error): call `rollback`. */
  get lostTransaction(): boolean {
    return this.#inTransaction && !this.#sqlite.isTransaction;
  }

  /** Opens the transaction shared by this turn's writes, unless it is already open. */
  begin(): void {
    if (this.#isDivided && !this.#inTransaction) this.#reserve.noteDiskFull();
    // The log cannot be emptied within a transaction.
    if (this.#reserve.isDiskFull && !this.#inTransaction) {
      if (this.freesSpace) this.#emptyLogWithReserve();
      else if (this.#reserve.isRetryDue()) this.#keepReserve();
    }
    if (this.#reserve.isDiskFull && !this.freesSpace) throw new NoRoomError();
    if (!this.#inTransaction) this.#writesBefore = this.writes;
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

  /**
   * The running command continues a transaction to which no other has added. Without a savepoint, SQLite need not keep
   * the previous state of every page that this slice changes.
   */
  continueAlone(): void {
    this.#ownsTransaction = this.#inTransaction;
  }

  /** Ends a command, or a slice of it: its writes now belong to the shared transaction. */
  endCommand(): void {
    this.#ownsTransaction = false;
    if (!this.#hasSavepoint) return;
    this.#hasSavepoint = false;
    this.statement("RELEASE command").run();
  }

  /**
   * Undoes only the writes of the running command's slice, or of all its slices in the transaction. Returns false if
   * that is impossible because SQLite has rolled the transaction back by itself.
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
    this.#hasGrown = true;
    // Nothing below may throw: the writes are on disk.
    if (this.#isDivided) return;
    if (this.#reserve.isDiskFull || this.#reserve.isCheckDue()) this.#keepReserve();
  }

  /**
   * Moves a long log into the data file, at most once per commit. Call it after the replies of the commit, which need
   * not wait for this. Returns false if nothing was to do.
   */
  shortenLog(): boolean {
    if (!this.#hasGrown || this.#inTransaction) return false;
    // If this fails, the next attempt follows the next commit.
    this.#hasGrown = false;
    if (this.#logPages() < maxLogPages) return false;
    this.#moveLog("PASSIVE");
    return true;
  }

  /** The pages of the log that are not in the data file yet. */
  #logPages(): number {
    const row: unknown = this.statement("PRAGMA wal_checkpoint(NOOP)").get();
    return Array.isArray(row) ? Number(row[1]) - Number(row[2]) : 0;
  }

  // The reserve grows with the log, so emptying the log is the first remedy if the disk has no room for the reserve.
  // On a full disk the log must be emptied anyway: only then does it have room for the next delete.
  #keepReserve(): void {
    if (!this.#reserve.isDiskFull && this.#reserve.fill()) return;
    this.#emptyLogWithReserve();
    this.#reserve.fill();
  }

  #emptyLogWithReserve(): void {
    this.#reserve.release();
    this.#emptyLog();
  }

  #emptyLog(): void {
    this.#moveLog("TRUNCATE");
  }

  #moveLog(mode: "PASSIVE" | "TRUNCATE"): void {
    try {
      this.execute(`PRAGMA wal_checkpoint(${mode})`);
      this.#logProblem = "";
    } catch (error) {
      // Nothing is lost: the log keeps everything, and a later commit tries again.
      if (isFull(error) || isBusy(error) || String(error) === this.#logProblem) return;
      this.#logProblem = String(error);
      this.#log(`could not empty the log of the store in ${this.place}: ${this.#logProblem}`);
    }
  }

  /** It needs the whole reserve, which the next other write restores. */
  get #isDivided(): boolean {
    return Number.isFinite(this.writesPerCommit);
  }

  /** The transaction must not grow: the command has to pause, and its writes are committed. */
  get isLogFull(): boolean {
    return this.#inTransaction && this.writes - this.#writesBefore >= this.writesPerCommit;
  }

  /** Call after SQLite reported a full disk. */
  noteDiskFull(): void {
    this.#reserve.noteDiskFull();
  }

  /** `isPartial`: a part of the command's writes was committed before. */
  diskFull(isPartial: boolean): StoreError {
    const written = isPartial ? "a part of the writes remains" : "nothing was written";
    const problem = `The disk with the data directory ${this.place} is full; ${written}`;
    return new StoreError("OutOfDiskSpace", problem);
  }

  /**
   * Copies the committed data into a file, some pages at a time on another thread; writes in between become part of the
   * copy. An error that `onStep` throws ends it.
   */
  async backUp(file: string, stepPages: number, onStep: () => void): Promise<void> {
    this.#backups++;
    try {
      while (!(await this.#tryBackUp(file, stepPages, onStep))) onStep();
    } finally {
      this.#backups--;
    }
  }

  /** Returns false if the first step found an open transaction: SQLite then reports an error without a code. */
  async #tryBackUp(file: string, stepPages: number, onStep: () => void): Promise<boolean> {
    try {
      await backup(this.#sqlite, file, { rate: stepPages, progress: onStep });
      return true;
    } catch (error) {
      if (!(error instanceof Error && "errcode" in error && error.errcode === 0)) throw error;
      await new Promise((resolve) => setImmediate(resolve));
      return false;
    }
  }

  /** Logs that a stored document cannot be read, and returns the error for the client. */
  noteDamage(error: DamagedDocument): StoreError {
    this.isSuspect = true;
    this.#log(`a command failed inside the store: ${error.message}`);
    return this.damaged();
  }

  damaged(): StoreError {
    const problem = `The data in ${this.place} is damaged. Stop Muster and restore a backup`;
    return new StoreError("InvalidBSON", problem);
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

const schema = `
CREATE TABLE IF NOT EXISTS collections (
  id INTEGER PRIMARY KEY, db TEXT NOT NULL, name TEXT NOT NULL, uuid BLOB NOT NULL, UNIQUE (db, name)
);
CREATE TABLE IF NOT EXISTS indexes (
  id INTEGER PRIMARY KEY, collection INTEGER NOT NULL, name TEXT NOT NULL, spec BLOB NOT NULL,
  multikey TEXT NOT NULL, UNIQUE (collection, name)
)`;

const sqliteCorrupt = 11;
const sqliteFull = 13;

/** Whether SQLite reports a full disk. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === sqliteFull;
}

/** Whether a document, or SQLite's own data, is not what was written. */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedDocument) return true;
  return error instanceof Error && "errcode" in error && Number(error.errcode) % 256 === sqliteCorrupt;
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (error.errcode === 5 || error.errcode === 6);
}

/** Turns failures to open the directory into DirectoryErrors. */
function explained<Result>(directory: DataDirectory, open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    if (error instanceof DirectoryError) throw error;
    throw new DirectoryError(directory, openProblem(error, directory.path));
  }
}
