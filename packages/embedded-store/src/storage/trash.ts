import { randomBytes } from "node:crypto";
import type { Steps } from "../steps.ts";
import type { Database } from "./database.ts";

/*
 * SQLite drops a table as one unit, which takes seconds for a large one. So a large table is only renamed, and then
 * emptied in slices. Its name marks it, also after a restart; unfinished index builds have such names, too.
 */

const prefix = "trash_";

/** The rows of one step. */
const stepRows = 64;

/** A table with more rows or bytes is emptied in slices. */
const smallRows = 512;
const smallBytes = 1024 * 1024;

/** A new name for a table that must not remain after a crash. */
export function temporaryName(): string {
  return `${prefix}${randomBytes(8).toString("hex")}`;
}

/** Drops a table of this store, or at least takes its name away. */
export function discard(database: Database, table: string): void {
  if (isSmall(database, table)) database.dropTable(table);
  else {
    database.renameTable(table, temporaryName());
    database.hasTrash = true;
  }
}

function isSmall(database: Database, table: string): boolean {
  const first = `SELECT length(${widest(table)}) AS bytes FROM ${table} LIMIT ${smallRows + 1}`;
  const [rows, bytes] = firstRow(database, `SELECT COUNT(*), SUM(bytes) FROM (${first})`);
  return Number(rows) <= smallRows && Number(bytes) <= smallBytes;
}

function widest(table: string): string {
  return table.startsWith("documents_") ? "content" : "key";
}

function firstRow(database: Database, sql: string): unknown[] {
  const row: unknown = database.prepare(sql).get();
  return Array.isArray(row) ? row : [];
}

/** Empties and drops all discarded tables. `used` returns those of running index builds. */
export function* emptyTrash(database: Database, used: () => ReadonlySet<string>): Steps<undefined> {
  const select = `SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '${prefix}%'`;
  const names = database.prepare(select).all().flat().map(String);
  for (const name of names) if (!used().has(name)) yield* empty(database, name);
  return undefined;
}

function* empty(database: Database, table: string): Steps<void> {
  const [isIndex] = firstRow(database, `SELECT wr FROM pragma_table_list('${table}')`);
  const [id, columns] = isIndex === 1 ? ["(key, row)", "key, row"] : ["row", "row"];
  const remove = database.prepare(
    `DELETE FROM ${table} WHERE ${id} IN (SELECT ${columns} FROM ${table} LIMIT ${stepRows})`,
  );
  for (;;) {
    database.begin();
    if (remove.run().changes === 0) break;
    if (database.pace.isOver()) yield;
  }
  database.dropTable(table);
}
