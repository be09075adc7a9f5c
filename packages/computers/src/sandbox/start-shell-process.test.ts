import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { test } from "vitest";
import { startShellProcess } from "./start-shell-process.ts";

const entry = fileURLToPath(new URL("../../test/support/intruder.ts", import.meta.url));
const maxMemoryBytes = 2 ** 30;

test("code that got out of the shell reaches no file, process, thread, native code, text as code or network", async () => {
  const shell = startShellProcess({ maxMemoryBytes, entry });
  assert.deepEqual(JSON.parse(await text(shell.line)), { tried: 26, succeeded: [] });
  await shell.ended;
});

test("a process that waits for its job ends with its parent's end of the line", async () => {
  const shell = startShellProcess({ maxMemoryBytes });
  shell.line.destroy();
  await shell.ended;
  assert.equal(shell.killedFor, undefined);
});

test("the memory of a process is bounded", { skip: process.platform !== "linux" }, async () => {
  const shell = startShellProcess({ maxMemoryBytes: 1024 });
  await shell.ended;
  assert.equal(shell.killedFor, "memory");
});

test("a signal to the group of the service does not reach its commands", {
  skip: process.platform !== "linux",
}, async () => {
  const shell = startShellProcess({ maxMemoryBytes });
  const [, , group] = (await readFile(`/proc/${shell.pid}/stat`, "utf8")).replace(/^.*\) /, "").split(" ");
  assert.equal(group, String(shell.pid));
  shell.kill("aborted");
  await shell.ended;
});
