import { MemoryPool } from "./query/memory.ts";
import { Catalog } from "./storage/catalog.ts";
import { CursorTable } from "./storage/cursor-table.ts";
import { Database } from "./storage/database.ts";

/** The state that commands operate on. Commands run one after another on one thread. */
export interface Store {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly cursors: CursorTable;
  /** The memory of sorts and lists of matches. */
  readonly memory: MemoryPool;
  readonly now: () => number;
  /** The host:port or socket path that clients connect to. */
  address: string;
}

/** Opens the directory. Throws DirectoryError if another server uses it. */
export function openStore(
  path: string,
  now: () => number = Date.now,
  setting = "directory",
  log: (line: string) => void = () => {},
): Store {
  const database = new Database({ path, setting }, log);
  return {
    database,
    catalog: new Catalog(database),
    cursors: new CursorTable(now),
    memory: new MemoryPool(),
    now,
    address: "",
  };
}
