import assert from "node:assert/strict";
import { Worker } from "node:worker_threads";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { cpuSpent, threadCpuMs } from "./processor-time.ts";

describe("a limit of processor time", () => {
  test("ends once the readings have grown by it, however much time that takes", async () => {
    const readings = [1_000, 1_000, 1_000, 1_004, 1_009, 1_010];
    let read = 0;
    const never = new AbortController().signal;
    await cpuSpent(10, async () => readings[read++] ?? assert.fail("it reads on"), never);
    assert.equal(read, readings.length);
  });

  test("ends early when its signal aborts", async () => {
    const abort = new AbortController();
    const spent = cpuSpent(10, async () => 0, abort.signal);
    abort.abort();
    await assert.rejects(spent, { name: "AbortError" });
  });

  test("sees the time of a thread even while the thread does nothing but use it, and nothing of one that has ended", async (t) => {
    const worker = new Worker("for (;;);", { eval: true });
    t.onTestFinished(async () => void (await worker.terminate()));
    await until("it has used some", async () => (await threadCpuMs(worker)) > 50);
    await worker.terminate();
    assert.equal(await threadCpuMs(worker), 0);
  });
});
