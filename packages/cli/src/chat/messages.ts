import { createInterface } from "node:readline";
import { usageError } from "../exit.ts";
import type { Io } from "../io.ts";
import type { Interrupts } from "./interrupts.ts";

/**
 * The user's messages, one for each line that is not blank: asked for on a terminal, else read from the input. Ends
 * with the input, or when the user leaves.
 */
export async function* readMessages(io: Io, interrupts: Interrupts): AsyncGenerator<string> {
  const terminal = io.stdin.isTTY === true;
  // The prompt is no part of the answer, which alone goes to standard output.
  const lines = createInterface({ input: io.stdin, output: io.stderr, terminal, prompt: "> " });
  // A terminal in raw mode sends Ctrl-C as a key and not as a signal.
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
      interrupts.userGoesOn();
      if (line.trim() !== "") yield line;
      ask();
    }
  } finally {
    interrupts.leaving.removeEventListener("abort", close);
    lines.close();
  }
}

/** The whole input as one message, as `$(...)` would give it: without the line break at its end. */
export async function readWholeMessage(io: Io): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk));
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw usageError("The message on the input is not text in UTF-8.");
  }
  const message = text.replace(/\r?\n$/, "");
  if (message.trim() === "") throw usageError("There is no message on the input.");
  return message;
}
