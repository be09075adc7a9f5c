import { Catalog } from "./storage/catalog.ts";
import { CursorTable } from "./storage/cursor-table.ts";
import { Database } from "./storage/database.ts";
import { RetryLog } from "./storage/retry-log.ts";

/** What the commands work on. Everything runs on one thread, one command after the other. */
export interface Store {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly cursors: CursorTable;
  readonly retries: RetryLog;
  readonly now: () => number;
  /** host:port, or the path of the socket, that clients reach it at. */
  address: string;
}

/** Opens the directory. Throws DirectoryError when another server has it. */
export function openStore(directory: string, now: () => number = Date.now): Store {
  const database = new Database(directory);
  return {
    database,
    catalog: new Catalog(database),
    cursors: new CursorTable(now),
    retries: new RetryLog(database, now),
    now,
    address: "",
  };
}
