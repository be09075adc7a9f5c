import { createInterface } from "node:readline";
import { usageError } from "../exit.ts";
import type { Io } from "../process-io.ts";
import type { Interrupts } from "../turn/interrupts.ts";

/**
 * Yields the user's messages, one for each line that is not blank. A terminal shows a prompt for each. Ends with the
 * input, or when the user leaves.
 */
export async function* readMessages(io: Io, interrupts: Interrupts): AsyncGenerator<string> {
  const terminal = io.stdin.isTTY === true;
  // Only replies go to standard output, so the prompt does not.
  const lines = createInterface({ input: io.stdin, output: io.stderr, terminal, prompt: "> " });
  // A terminal in raw mode sends Ctrl-C as a key instead of a signal.
  lines.on("SIGINT", () => interrupts.fire());
  const close = () => lines.close();
  interrupts.leaving.addEventListener("abort", close);
  let isOpen = true;
  lines.on("close", () => {
    isOpen = false;
  });
  const ask = () => {
    if (terminal && isOpen) lines.prompt();
  };
  try {
    ask();
    for await (const line of lines) {
      interrupts.userContinues();
      if (line.trim() !== "") yield line;
      ask();
    }
  } finally {
    interrupts.leaving.removeEventListener("abort", close);
    lines.close();
  }
}

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
