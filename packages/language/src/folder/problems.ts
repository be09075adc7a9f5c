/** A reason why a folder cannot be read or written. */
export interface FolderProblem {
  /** Relative to the folder, with `/`; `.` is the folder itself. */
  readonly path: string;
  /** One or two sentences, after `Line 3, column 5: ` if the position is known. */
  readonly message: string;
}

/** A message that begins with the position of an offset in a text. */
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

/** Explains a file system error to the user. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known = reasons[code];
  if (known !== undefined) return known;
  return `cannot be accessed: ${error instanceof Error ? error.message : String(error)}.`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "does not exist.",
  ENOTDIR: "is not a folder.",
  EISDIR: "is a folder, but must be a file.",
  EACCES: "cannot be accessed: permission denied.",
  EPERM: "cannot be accessed: permission denied.",
  ELOOP: "is a link that leads to itself.",
  ENOSPC: "cannot be written: the disk is full.",
  EROFS: "cannot be written: the disk is read-only.",
};
