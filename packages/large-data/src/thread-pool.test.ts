import assert from "node:assert/strict";
import { threadId } from "node:worker_threads";
import { onTestFinished, test } from "vitest";
import type * as tasks from "../test/support/tasks.ts";
import { createThreadPool, TooManyTasksError } from "./thread-pool.ts";

const module = new URL("../test/support/tasks.ts", import.meta.url);

function pool(limits = { maxThreads: 1, maxWaiting: 1 }) {
  const threads = createThreadPool<typeof tasks>(module, limits);
  onTestFinished(() => threads.close());
  return threads;
}

test("a task runs on another thread and returns its result", async () => {
  const { length, thread } = await pool().run("measure", "abc");
  assert.equal(length, 3);
  assert.notEqual(thread, threadId);
});

test("a moved buffer is not copied", async () => {
  const bytes = new Uint8Array([1, 2, 3]);
  assert.equal(await pool().run("sum", bytes, [bytes.buffer]), 6);
  assert.equal(bytes.byteLength, 0);
});

test("a task that throws fails alone", async () => {
  const threads = pool();
  await assert.rejects(threads.run("fail", "on purpose"), { message: "on purpose" });
  assert.equal((await threads.run("measure", "x")).length, 1);
});

test("a task beyond the limit of waiting tasks is refused at once, and later ones are accepted again", async () => {
  const threads = pool();
  const accepted = [threads.run("measure", "a"), threads.run("measure", "b")];
  await assert.rejects(threads.run("measure", "c"), TooManyTasksError);
  await Promise.all(accepted);
  assert.equal((await threads.run("measure", "d")).length, 1);
});

test("a pool that was never used closes without having started a thread", async () => {
  await pool().close();
});
