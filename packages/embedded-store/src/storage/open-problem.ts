import { statSync } from "node:fs";
import { dirname } from "node:path";
import { dataName, notADatabase } from "./data-file.ts";

const notWritable = "this user cannot write to it; change its owner or permissions, or choose another folder";

/** Problems by the code of the file system's error. */
const fileProblems: Readonly<Record<string, string>> = {
  EACCES: notWritable,
  EPERM: notWritable,
  EROFS: "its file system is read-only; choose another folder",
  ENOSPC: "its disk is full; free some space",
  EDQUOT: "its disk quota is used up; free some space",
  EISDIR: `its file ${dataName} is a folder; choose another folder for the data`,
  ENOENT: "it cannot be created there; choose another folder",
};

/** Problems by SQLite's primary error code. */
const sqliteProblems: Readonly<Record<number, string>> = {
  5: "another server is using it; stop that one first",
  6: "another server is using it; stop that one first",
  8: notWritable,
  14: notWritable,
  11: notADatabase,
  26: notADatabase,
};

/** Why the directory cannot be opened, and what to do about it. */
export function openProblem(error: unknown, directory: string): string {
  if (!(error instanceof Error)) return String(error);
  if ("errcode" in error && typeof error.errcode === "number") {
    return sqliteProblems[error.errcode & 0xff] ?? error.message;
  }
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code === "ENOTDIR" || code === "EEXIST") {
    return `${firstNonFolder(directory)} is not a folder; choose another one`;
  }
  return fileProblems[code] ?? error.message;
}

/** The nearest ancestor that exists, or the directory itself. */
function firstNonFolder(directory: string): string {
  for (let path = directory; path !== dirname(path); path = dirname(path)) {
    try {
      statSync(path);
      return path;
    } catch {
      // It does not exist, or is below the file in question.
    }
  }
  return directory;
}
