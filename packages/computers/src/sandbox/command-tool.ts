import type { JsonValue } from "@muster/language";
import { homeDirectory } from "../files/limits.ts";
import { userPath } from "../files/user-path.ts";
import { ArgumentError, optionalPath, readArguments } from "../tools/arguments.ts";
import { defaultTimeoutSeconds, maxCommandLength, maxTimeoutSeconds } from "../tools/definitions.ts";
import { cutToBytes, lastBytes } from "./output-keeper.ts";

export type CommandArguments = ReturnType<typeof readCommand>;

export function readCommand(args: JsonValue) {
  const read = readArguments(args);
  const command = read.requiredText("command", maxCommandLength);
  if (command.trim() === "") throw new ArgumentError('"command" must not be empty.');
  return {
    command,
    cwd: userPath(optionalPath(read, "cwd", homeDirectory)),
    timeoutMs:
      read.integer("timeoutSeconds", { min: 1, max: maxTimeoutSeconds }, defaultTimeoutSeconds) * 1_000,
  };
}

/** How long the command may run; 0 if its arguments are wrong, so that it does not run. */
export function timeoutOf(args: JsonValue): number {
  try {
    return readCommand(args).timeoutMs;
  } catch {
    return 0;
  }
}

/** The part of one stream that the model sees: its beginning and its end. */
export function shownToModel(text: string, maxBytes: number): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  const head = cutToBytes(text, Math.floor(maxBytes / 2));
  const tail = lastBytes(text, Math.ceil(maxBytes / 2));
  const cut = bytes - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return `${head}\n[${cut} bytes cut here. To see all, write the output to a file and read it with files__read.]\n${tail}`;
}
