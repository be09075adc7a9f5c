import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Io } from "../process-io.ts";

/** A text that is JSON is its value, an empty one is null; any other text is itself. */
export function parseAnswer(text: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Reads the file at each call, so that it can be edited between calls. */
export async function answerFromFile({ cwd }: Io, path: string): Promise<unknown> {
  return parseAnswer(await readFile(resolve(cwd, path), "utf8"));
}
