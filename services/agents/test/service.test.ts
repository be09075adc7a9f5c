import assert from "node:assert/strict";
import type { Worker } from "node:worker_threads";
import { serviceDependency } from "@muster/rpc";
import { until } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { definition, startAgents } from "./support/start-agents.ts";

function messagesOfThreads(t: TestContext): unknown[] {
  const messages: unknown[] = [];
  const note = (worker: Worker) => void worker.on("message", (message) => messages.push(message));
  process.on("worker", note);
  t.onTestFinished(() => void process.off("worker", note));
  return messages;
}

test("the agents service is ready once it has compiled a definition, which its readiness begins", async (t) => {
  const { transport } = await startAgents(t, { compileCpuMs: 2_000 });
  const messages = messagesOfThreads(t);
  const agents = serviceDependency("agents", transport);
  const isReady = () =>
    agents.check().then(
      () => true,
      () => false,
    );
  await until("it is ready", isReady);
  assert.deepEqual(messages, ["ready", { issues: [], workers: [] }]);
});

test("an agents service that is ready without its compiler starts no thread before the first definition", async (t) => {
  const { client, as, transport, warmUp } = await startAgents(t, {
    compileCpuMs: 2_000,
    readyWithoutCompiler: true,
  });
  const messages = messagesOfThreads(t);
  warmUp?.();
  await serviceDependency("agents", transport).check();
  assert.deepEqual(messages, []);
  await client.validateAgent({ definition: definition() }, as());
  assert.deepEqual(messages, ["ready", { issues: [], workers: [] }]);
});
