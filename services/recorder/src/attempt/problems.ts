import { RenderError } from "@muster/video";

const fullCodes: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"]);

/** Whether an attempt failed because a disk of the recorder is full: nothing is wrong with the recording. */
export function meansDiskFull(error: unknown): boolean {
  if (error instanceof RenderError) return error.failure === "disk_full";
  return error instanceof Error && "code" in error && fullCodes.has(error.code);
}

/** By the code of the operating system's error. */
const sentences: Readonly<Record<string, string>> = {
  EROFS: "The recorder cannot write to its disk.",
  EACCES: "The recorder cannot write to its disk.",
  EIO: "The disk of the recorder does not work.",
};

/** The sentence that users read about an attempt that failed. Everything else is in the log. */
export function sentenceOf(error: unknown): string {
  if (error instanceof RenderError) return error.message;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const known = typeof code === "string" && Object.hasOwn(sentences, code) ? sentences[code] : undefined;
  return known ?? "The video could not be rendered.";
}
