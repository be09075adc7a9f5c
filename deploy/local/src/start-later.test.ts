import assert from "node:assert/strict";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@muster/proto/health";
import { createInProcessTransport, createRpcClient, mountService } from "@muster/rpc";
import { silentLogger } from "@muster/service";
import { test } from "vitest";
import { readyUntilStarted, startLater, transportToLater } from "./start-later.ts";

test("a call to a service that starts later begins its start and waits for it, and a stop undoes it", async () => {
  const opened = Promise.withResolvers<void>();
  const steps: string[] = [];
  const service = mountService(Health, {
    check: () => ({ status: Status.SERVING }),
    async *watch() {
      yield { status: Status.SERVING };
    },
  });
  const verifier = { verify: () => assert.fail("a health check has no principal") };
  const later = startLater(async (closers) => {
    steps.push("start");
    await opened.promise;
    closers.push(async () => steps.push("stop"));
    return createInProcessTransport([service], { verifier, log: silentLogger });
  }, assert.fail);
  const dependency = readyUntilStarted(
    { name: "it", check: () => Promise.reject(new Error("away")), isStorageFull: async () => true },
    later,
  );
  await dependency.check();
  assert.deepEqual([steps, await dependency.isStorageFull?.()], [[], false]);

  const client = createRpcClient(Health, transportToLater(later));
  const calls = [client.check({}), client.check({})];
  const watched = client.watch({})[Symbol.asyncIterator]().next();
  await dependency.check();
  opened.resolve();
  for (const { status } of await Promise.all(calls)) assert.equal(status, Status.SERVING);
  assert.equal((await watched).value.status, Status.SERVING);
  await assert.rejects(dependency.check(), /away/);
  assert.equal(await dependency.isStorageFull?.(), true);
  await later.stop();
  assert.deepEqual(steps, ["start", "stop"]);
});

test("a stop waits for a start that has begun, and prevents one that has not", async () => {
  const steps: string[] = [];
  const make = (name: string) =>
    startLater(async (closers) => {
      closers.push(async () => steps.push(`${name} stopped`));
      await new Promise(setImmediate);
      steps.push(`${name} started`);
    }, assert.fail);
  const begun = make("begun");
  void begun.reach();
  const waiting = make("waiting");
  waiting.schedule();
  await Promise.all([begun.stop(), waiting.stop()]);
  assert.deepEqual(steps, ["begun started", "begun stopped"]);
});
