/** Why a folder cannot be read or written. */
export interface FolderProblem {
  /** Relative to the folder, with `/`; `.` is the folder itself. */
  readonly path: string;
  /** One or two sentences; begins with `Line 3, column 5: ` where there is such a place. */
  readonly message: string;
}

/** A message that names the place of an offset in a text. */
export function at(text: string, offset: number, message: string): string {
  const { line, column } = positionOf(text, offset);
  return `Line ${line}, column ${column}: ${message}`;
}

/** Both count from 1. */
export function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const start = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - start + 1 };
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** What a person can do about a failure of the file system. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known = reasons[code];
  if (known !== undefined) return known;
  return `cannot be used: ${error instanceof Error ? error.message : String(error)}.`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "does not exist.",
  ENOTDIR: "is not a folder.",
  EISDIR: "is a folder where a file should be.",
  EACCES: "may not be read or written by this user.",
  EPERM: "may not be read or written by this user.",
  ELOOP: "is a link that leads nowhere.",
  ENOSPC: "cannot be written: the disk is full.",
  EROFS: "cannot be written: the disk is read-only.",
};
