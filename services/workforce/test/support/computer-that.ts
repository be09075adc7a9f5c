import assert from "node:assert/strict";
import type { CallOutcome, Computer, ComputerCall, OutputChunk } from "@muster/computers";

type Execute = (
  call: ComputerCall,
  output: (chunk: OutputChunk) => void,
  signal: AbortSignal,
) => Promise<CallOutcome>;

const info = { kind: "sandbox", os: "linux", runtimeVersion: "1", imageVersion: null, region: null } as const;
const unused = () => assert.fail("not expected");

/** A computer with one tool. Methods that a test does not replace must not be called. */
export function computerThat(execute: Execute, more: Partial<Computer> = {}) {
  const aborted: string[] = [];
  const computer: Computer = {
    tools: [{ name: "shell__run_command", description: "", inputSchema: {} }],
    connection: 0,
    filesFolder: "~/files",
    execute,
    start: async () => info,
    abort: async (id) => void aborted.push(id),
    putFile: unused,
    readFile: unused,
    listFiles: unused,
    snapshot: unused,
    restore: unused,
    stop: unused,
    info: () => info,
    state: () => "running",
    ...more,
  };
  return { computer, aborted };
}
