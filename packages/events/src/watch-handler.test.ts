import assert from "node:assert/strict";
import { createLogger } from "@muster/service";
import { test, vi } from "vitest";
import { createInProcessBus } from "./in-process-bus.ts";

test("a hung handler is logged once, and one that ends in time is not", async (t) => {
  const lines: string[] = [];
  const log = createLogger({
    name: "test",
    level: "warn",
    destination: { write: (line) => lines.push(line) },
  });
  const bus = createInProcessBus({ log });
  const started = Promise.withResolvers<void>();
  const hold = Promise.withResolvers<void>();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  t.onTestFinished(() => {
    vi.useRealTimers();
  });
  await bus.subscribe("auth.key-revoked", { consumer: "test" }, async ({ keyId }) => {
    if (keyId === "fast") return;
    started.resolve();
    await hold.promise;
  });
  for (const keyId of ["fast", "stuck"]) {
    await bus.publish("auth.key-revoked", { keyId, projectId: "prj_1" }, { id: `evt_${keyId}` });
  }
  await started.promise;
  vi.advanceTimersByTime(29_000);
  assert.deepEqual(lines, []);
  vi.advanceTimersByTime(120_000);
  hold.resolve();
  await bus.close();
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /evt_stuck.*still running/);
});
