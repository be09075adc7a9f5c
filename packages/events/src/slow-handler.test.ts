import assert from "node:assert/strict";
import { test } from "node:test";
import { createLogger } from "@muster/service";
import { createInProcessBus } from "./in-process.ts";

test("a handler that hangs is named in the log, once; one that ends in time is not", async (t) => {
  const lines: string[] = [];
  const log = createLogger({
    name: "test",
    level: "warn",
    destination: { write: (line) => lines.push(line) },
  });
  const bus = createInProcessBus({ log });
  const started = Promise.withResolvers<void>();
  const hold = Promise.withResolvers<void>();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await bus.subscribe("auth.key-revoked", { consumer: "test" }, async ({ keyId }) => {
    if (keyId === "fast") return;
    started.resolve();
    await hold.promise;
  });
  for (const keyId of ["fast", "stuck"]) {
    await bus.publish("auth.key-revoked", { keyId, projectId: "prj_1" }, { id: `evt_${keyId}` });
  }
  await started.promise;
  t.mock.timers.tick(29_000);
  assert.deepEqual(lines, []);
  t.mock.timers.tick(120_000);
  hold.resolve();
  await bus.close();
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /evt_stuck.*still running/);
});
