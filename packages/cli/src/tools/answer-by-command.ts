import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { Io } from "../process-io.ts";
import { parseAnswer } from "./answer-values.ts";
import type { ToolCall } from "./tool-call.ts";

const commandTimeoutMs = 120_000;
/** More would exceed the server's limit for a request. */
const maxOutputBytes = 4 * 1024 * 1024;

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
  try {
    const [exitCode, output, problem] = await Promise.all([
      exited,
      readText(child.stdout),
      readText(child.stderr),
    ]);
    if (exitCode === 0) return parseAnswer(output.trimEnd());
    throw new Error(problem.trim() || `The command ended with exit code ${exitCode}.`);
  } finally {
    // After a failure, processes that the shell started may still run; they must not keep this process alive.
    child.kill();
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

async function readText(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let lengthBytes = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    lengthBytes += bytes.length;
    if (lengthBytes > maxOutputBytes)
      throw new Error(`The output of the command exceeds ${maxOutputBytes} bytes.`);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function isTimeout(error: Error): boolean {
  return error.cause instanceof DOMException && error.cause.name === "TimeoutError";
}

function timeoutError(): Error {
  return new Error(`The command did not end within ${commandTimeoutMs / 1_000} s.`);
}
