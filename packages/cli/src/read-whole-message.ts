import { usageError } from "./exit.ts";
import type { Io } from "./process-io.ts";

/** Reads the whole input as one message, without its final line break, as `$(...)` does. */
export async function readWholeMessage(io: Io): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk));
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw usageError("The message on standard input is not UTF-8 text.");
  }
  const message = text.replace(/\r?\n$/, "");
  if (message.trim() === "") throw usageError("Standard input contains no message.");
  return message;
}
