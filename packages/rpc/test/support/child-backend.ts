import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { TestScope } from "@muster/testing";

/** A backend in a process of its own. */
export interface Backend {
  address: string;
  /** The name that the backend gives itself in its responses. */
  pid: string;
  /** The process no longer runs, while its connections stay open. */
  freeze(): void;
  thaw(): void;
  kill(): Promise<void>;
}

export async function startBackend(t: TestScope): Promise<Backend> {
  const child = fork(new URL("./backend.ts", import.meta.url));
  t.onTestFinished(() => kill(child));
  const [address] = await once(child, "message");
  assert.equal(typeof address, "string");
  return {
    address: String(address),
    pid: String(child.pid),
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    kill: () => kill(child),
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
