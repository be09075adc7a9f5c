import { chmodSync, constants, copyFileSync, existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { dataName, markCreated } from "../storage/data-file.ts";
import { formatVersion } from "../storage/database.ts";
import { makeDirectory } from "../storage/make-directory.ts";
import { BackupError, sync } from "./copy.ts";

/** Creates a store from a backup in a directory that is missing or empty. Throws BackupError. */
export function restore(file: string, directory: string): void {
  if (!existsSync(file)) throw new BackupError(`${file} does not exist`);
  if (existsSync(directory) && readdirSync(directory).length > 0) {
    throw new BackupError(
      `${directory} is not empty; restore into an empty folder, so that nothing is overwritten`,
    );
  }
  makeDirectory(directory);
  const partial = join(directory, `${dataName}.partial`);
  try {
    copyFileSync(file, partial, constants.COPYFILE_FICLONE);
    chmodSync(partial, 0o600);
    check(partial, file);
    sync(partial);
    renameSync(partial, join(directory, dataName));
    markCreated(directory);
    sync(directory);
  } catch (error) {
    rmSync(partial, { force: true });
    if (error instanceof BackupError) throw error;
    throw new BackupError(
      `cannot restore ${file}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

// On the copy, so that the backup itself is not even opened for writing.
function check(path: string, file: string): void {
  const copy = new DatabaseSync(path);
  try {
    const version = read(copy, "PRAGMA user_version");
    const isOurs = read(copy, "SELECT COUNT(*) FROM sqlite_master WHERE name IN ('collections', 'indexes')");
    if (isOurs !== 2) throw notABackup(file);
    if (version !== formatVersion) {
      throw new BackupError(
        `${file} has format ${version}, but this version of Muster reads format ${formatVersion}`,
      );
    }
    const problem = read(copy, "PRAGMA quick_check(1)");
    if (problem !== "ok") throw new BackupError(`${file} is damaged (${problem}); use another backup`);
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw notABackup(file);
  } finally {
    copy.close();
  }
}

function read(database: DatabaseSync, sql: string): unknown {
  return Object.values(database.prepare(sql).get() ?? {})[0];
}

function notABackup(file: string): BackupError {
  return new BackupError(`${file} is not a backup of a Muster store, or is damaged`);
}
