import { RenderError } from "@muster/video";

/** By the code of the operating system's error. */
const sentences: Readonly<Record<string, string>> = {
  ENOSPC: "The disk of the recorder is full.",
  EDQUOT: "The disk of the recorder is full.",
  EROFS: "The recorder cannot write to its disk.",
  EACCES: "The recorder cannot write to its disk.",
  EIO: "The disk of the recorder does not work.",
};

/** What users learn about an attempt that failed. Everything else is in the log. */
export function sentenceOf(error: unknown): string {
  if (error instanceof RenderError) return error.message;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const known = typeof code === "string" && Object.hasOwn(sentences, code) ? sentences[code] : undefined;
  return known ?? "The video could not be rendered.";
}
