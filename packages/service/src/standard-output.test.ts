import assert from "node:assert/strict";
import { type ChildProcess, execFile, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type TestContext, test } from "vitest";

const log = resolve(import.meta.dirname, "log.ts");

/** The arguments of Node for a program with a log. */
function argsFor(program: string): string[] {
  const source = `import { createLogger } from ${JSON.stringify(log)};
    const log = createLogger({ name: "test", level: "info" });
    ${program}`;
  return ["--input-type=module-typescript", "-e", source];
}

/** The messages that a program with a log prints. */
async function printed(program: string): Promise<string[]> {
  // An exit code other than 0 rejects, with the output in the error.
  const { stdout } = await promisify(execFile)(process.execPath, argsFor(program)).catch((error) => error);
  return messagesIn(String(stdout));
}

function messagesIn(lines: string): string[] {
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => String(JSON.parse(line).msg));
}

function run(t: TestContext, program: string, stdio: StdioOptions): ChildProcess {
  const child = spawn(process.execPath, argsFor(program), { stdio });
  t.onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

test("no line is lost when a process ends by itself, calls exit or throws", async () => {
  const lines = `for (let i = 0; i < 3; i++) log.info("line " + i);`;
  const all = ["line 0", "line 1", "line 2"];
  for (const end of ["", "process.exit(0);", "process.exit(1);", `throw new Error("a bug");`]) {
    assert.deepEqual(await printed(`${lines} ${end}`), all, end);
  }
});

test("many lines arrive whole and in order", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "muster-log-"));
  t.onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, "log");
  const program = `for (let i = 0; i < 5_000; i++) log.info({ text: "ä".repeat(50) }, String(i));`;
  await once(run(t, program, ["ignore", openSync(path, "w"), "inherit"]), "exit");
  const messages = messagesIn(await readFile(path, "utf8"));
  assert.deepEqual(
    messages,
    Array.from({ length: 5_000 }, (_, i) => String(i)),
  );
});

test("lines are written while the process runs", async (t) => {
  const child = run(t, `log.info("early"); setInterval(() => {}, 1_000);`, ["ignore", "pipe", "inherit"]);
  assert.ok(child.stdout);
  const [chunk] = await once(child.stdout, "data");
  assert.equal(JSON.parse(String(chunk)).msg, "early");
});

test.runIf(existsSync("/dev/full"))(
  "a process whose log's disk is full works and ends normally",
  async (t) => {
    const program = `for (let i = 0; i < 1_000; i++) log.info("x".repeat(100));
    process.on("message", () => { process.send?.("works"); process.disconnect(); });`;
    const child = run(t, program, ["ignore", openSync("/dev/full", "w"), "inherit", "ipc"]);
    const ended = once(child, "exit");
    child.send("Do you work?");
    assert.deepEqual((await once(child, "message"))[0], "works");
    assert.deepEqual(await ended, [0, null]);
  },
);

test("a process whose reader has stopped ends normally, and so does one whose reader has gone", async (t) => {
  const program = `for (let i = 0; i < 20_000; i++) log.info("x".repeat(100));
    process.on("message", () => process.disconnect());`;
  for (const hasReader of [true, false]) {
    const child = run(t, program, ["ignore", "pipe", "inherit", "ipc"]);
    // Without a listener, nothing reads the pipe.
    if (!hasReader) child.stdout?.destroy();
    const ended = once(child, "exit");
    child.send("End.");
    assert.deepEqual(await ended, [0, null]);
  }
});
