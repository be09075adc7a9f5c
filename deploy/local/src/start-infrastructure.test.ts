import assert from "node:assert/strict";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { silentLogger, stopAll } from "@muster/service";
import { openStore } from "@muster/store";
import { temporaryDirectory } from "@muster/testing";
import { test } from "vitest";
import { readLocalConfig } from "./config.ts";
import { type Closers, startInfrastructure } from "./start-infrastructure.ts";

test("a start waits for an embedded store that gets no processor time for seconds", async (t) => {
  const closers: Closers = [];
  t.onTestFinished(() => stopAll(closers.toReversed()));
  const worker = new Worker(new URL("../test/support/frozen-store.ts", import.meta.url));
  const { uri } = await startInfrastructure({
    ...{
      config: readLocalConfig({ DATA_DIR: await temporaryDirectory(t) }),
      log: silentLogger,
      metrics: undefined,
    },
    onFatal: (error) => assert.fail(error),
    closers,
    store: {
      worker,
      failed: new Promise<never>(() => {}),
      ended: once(worker, "exit").then(() => undefined),
    },
  });
  const { db, close } = await openStore({ uri, database: "test", log: silentLogger });
  closers.push(close);
  assert.equal((await db.command({ ping: 1 })).ok, 1);
});
