import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const printWithinMs = 120_000;

export interface Program {
  /** The first group of the pattern, as soon as it is printed. */
  printed(pattern: RegExp): Promise<string>;
  kill(): Promise<void>;
}

interface Scope {
  onTestFinished(cleanUp: () => unknown): void;
}

/** Starts a service of this checkout as a process. */
export function startProgram(scope: Scope, service: string, env: Record<string, string>): Program {
  const entry = fileURLToPath(new URL(`../../services/${service}/src/main.ts`, import.meta.url));
  const child = spawn(process.execPath, [entry], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, ...env },
  });
  let output = "";
  const exited = once(child, "exit");
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      // What is waited for is printed at the start.
      if (output.length < 1_000_000) output += chunk.toString();
    });
  const kill = async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await exited;
  };
  scope.onTestFinished(kill);
  const printed = async (pattern: RegExp): Promise<string> => {
    const deadlineMs = performance.now() + printWithinMs;
    for (;;) {
      const match = output.match(pattern);
      if (match) return match[1] ?? match[0];
      if (child.exitCode !== null || performance.now() > deadlineMs)
        throw new Error(`${service} did not print ${pattern}: ${output.slice(-2_000)}`);
      await sleep(20);
    }
  };
  return { printed, kill };
}
