import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { test } from "vitest";

const log = resolve(import.meta.dirname, "log.ts");

/** The messages that a program with a log prints. */
async function printed(program: string): Promise<string[]> {
  const source = `import { createLogger } from ${JSON.stringify(log)};
    const log = createLogger({ name: "test", level: "info" });
    ${program}`;
  const args = ["--input-type=module-typescript", "-e", source];
  // An exit code other than 0 rejects, with the output in the error.
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error);
  return String(stdout)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => String(JSON.parse(line).msg));
}

test("no line is lost when a process ends by itself, calls exit or throws", async () => {
  const lines = `for (let i = 0; i < 3; i++) log.info("line " + i);`;
  const all = ["line 0", "line 1", "line 2"];
  for (const end of ["", "process.exit(0);", "process.exit(1);", `throw new Error("a bug");`]) {
    assert.deepEqual(await printed(`${lines} ${end}`), all, end);
  }
});

test("many lines arrive whole and in order", async () => {
  const program = `for (let i = 0; i < 5_000; i++) log.info({ text: "ä".repeat(50) }, String(i));`;
  assert.deepEqual(
    await printed(program),
    Array.from({ length: 5_000 }, (_, i) => String(i)),
  );
});

test("lines are written while the process runs", async () => {
  const program = `log.info("early"); setTimeout(() => process.kill(process.pid, "SIGKILL"), 2_000);`;
  assert.deepEqual(await printed(program), ["early"]);
});
