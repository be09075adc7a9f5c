import assert from "node:assert/strict";
import type { Worker } from "node:worker_threads";
import { serviceDependency } from "@muster/rpc";
import { until } from "@muster/testing";
import { test } from "vitest";
import { startAgents } from "./support/start-agents.ts";

test("the agents service is ready once it has compiled a definition, which its readiness begins", async (t) => {
  const { transport } = await startAgents(t, { compileCpuMs: 2_000 });
  const messages: unknown[] = [];
  const note = (worker: Worker) => void worker.on("message", (message) => messages.push(message));
  process.on("worker", note);
  t.onTestFinished(() => void process.off("worker", note));
  const agents = serviceDependency("agents", transport);
  const isReady = () =>
    agents.check().then(
      () => true,
      () => false,
    );
  await until("it is ready", isReady);
  assert.deepEqual(messages, ["ready", { issues: [], workers: [] }]);
});
