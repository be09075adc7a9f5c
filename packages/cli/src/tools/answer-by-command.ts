import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { Io } from "../io.ts";
import { parseAnswer } from "./answer-values.ts";
import type { ToolCall } from "./tool-call.ts";

const commandTimeoutMs = 120_000;
/** More would exceed the server's limit for a request. */
const maxOutputLength = 4 * 1024 * 1024;

/**
 * Runs a shell command with the arguments of the call as JSON on its standard input. Its standard output is the result.
 * Throws an Error with its standard error if it fails.
 */
export async function answerByCommand(
  io: Io,
  command: string,
  { toolName, args }: ToolCall,
  signal: AbortSignal,
): Promise<unknown> {
  // The command does not need the key to answer.
  const { MUSTER_API_KEY: _, ...env } = io.env;
  const child = spawn(command, {
    shell: true,
    cwd: io.cwd,
    env: { ...env, MUSTER_TOOL: toolName },
    signal: AbortSignal.any([signal, AbortSignal.timeout(commandTimeoutMs)]),
    stdio: ["pipe", "pipe", "pipe"],
  });
  const exited = new Promise<number | null>((done, fail) => {
    child.on("error", (error) => fail(isTimeout(error) ? timeoutError() : error));
    child.on("close", done);
  });
  // A command that does not read its input closes the pipe.
  child.stdin.on("error", () => undefined);
  child.stdin.end(`${JSON.stringify(args ?? {})}\n`);
  const [exitCode, output, problem] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  if (exitCode !== 0) throw new Error(problem.trim() || `The command ended with exit code ${exitCode}.`);
  if (output.length > maxOutputLength)
    throw new Error(`The output of the command exceeds ${maxOutputLength} characters.`);
  return parseAnswer(output.trimEnd());
}

function isTimeout(error: Error): boolean {
  return error.cause instanceof DOMException && error.cause.name === "TimeoutError";
}

function timeoutError(): Error {
  return new Error(`The command did not end within ${commandTimeoutMs / 1_000} s.`);
}
