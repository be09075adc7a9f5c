/** A path or a file is not what the operation needs. The message is a sentence for the model. */
export class FileError extends Error {
  override readonly name = "FileError";
  /** The file or directory does not exist. */
  readonly isMissing: boolean;

  constructor(message: string, { isMissing = false } = {}) {
    super(message);
    this.isMissing = isMissing;
  }
}

/** An error of the system with the path that the caller knows, in the form of Node's: `ENOENT: no such file …, '/path'`. */
export function fileError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !("syscall" in error)) return error;
  const [reason] = error.message.split(", ");
  return new FileError(`${reason}, '${path}'`, { isMissing: "code" in error && error.code === "ENOENT" });
}
