import type { JsonValue } from "@muster/language/json";
import { homeDirectory } from "../files/limits.ts";
import { userPath } from "../files/user-path.ts";
import { ArgumentError, optionalPath, readArguments } from "../tools/arguments.ts";
import { defaultTimeoutSeconds, maxCommandLength, maxTimeoutSeconds } from "../tools/definitions.ts";
import { cutToBytes, lastBytes, type OutputKeeper } from "./output-keeper.ts";

/** Exit codes of shells: of `timeout`, and after SIGKILL. */
export const timeoutExitCode = 124;
export const killedExitCode = 137;

export type CommandArguments = ReturnType<typeof readCommand>;

/** `absolute` makes a path of the model absolute. */
export function readCommand(args: JsonValue, absolute = userPath, home = homeDirectory) {
  const read = readArguments(args);
  const command = read.requiredText("command", maxCommandLength);
  if (command.trim() === "") throw new ArgumentError('"command" must not be empty.');
  return {
    command,
    cwd: absolute(optionalPath(read, "cwd", home)),
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

/** One argument of a program may have 128 KiB on Linux. */
const maxArgumentBytes = 120 * 1024;

/** Throws a sentence for the model if a script is too long to be the argument of a real shell. */
export function assertFitsArgument(command: string): void {
  if (Buffer.byteLength(command) <= maxArgumentBytes) return;
  const remedy = "write it to a file with files__write and run that.";
  throw new ArgumentError(`The command is longer than 120 KiB: ${remedy}`);
}

/** The result of a command for the model. Call it after the end of the output. */
export function commandResult(
  { exitCode, note }: { exitCode: number; note?: string | undefined },
  output: OutputKeeper,
  maxBytes: number,
): JsonValue {
  const [stdout, stderr] = [output.text("stdout"), output.text("stderr")].map((text) =>
    shownToModel(text, maxBytes),
  );
  return { exitCode, stdout: stdout ?? "", stderr: stderr ?? "", ...(note ? { note } : {}) };
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
