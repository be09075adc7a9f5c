import assert from "node:assert/strict";
import { Muster } from "@muster/client";
import { startTestServer } from "@muster/local/testing/server";
import { ThreadStore } from "@muster/react";
import { until } from "@muster/testing";
import { test } from "vitest";

test("the store of a thread follows its messages, status and commands to the end, and through a follow-up", async (t) => {
  const { url, client } = await startTestServer(t);
  const hired = await client.json(201, "POST", "/api/admin/workforce/agents", {
    name: "Lou",
    prebuilt: "log-analyst",
  });
  const agentId = String(hired.agentId);
  const muster = new Muster({ baseUrl: url, apiKey: String(hired.key) });
  const { threadId } = await muster.workforce.dispatch(agentId, { message: "web-1 failed" }).started;
  const store = new ThreadStore(muster, agentId, threadId);
  const seen = new Set<string>();
  t.onTestFinished(store.subscribe(() => void seen.add(store.getSnapshot().status)));
  const isDone = (count: number) => () => {
    const { status, messages } = store.getSnapshot();
    const users = messages.filter(({ role }) => role === "user").length;
    return status === "completed" && users === count && messages.at(-1)?.status === "done";
  };
  await until("the thread is completed", isDone(1));
  assert.ok(seen.has("running"), [...seen].join());
  const { outputs, recording, approvals } = store.getSnapshot();
  assert.ok(Object.values(outputs).join("").length > 0, JSON.stringify(outputs));
  assert.deepEqual([recording, approvals], [null, []]);
  await store.followUp({ message: "And again" });
  await until("the follow-up is completed", isDone(2));
  const { messages } = await muster.workforce.open(agentId, threadId).get();
  assert.deepEqual(store.getSnapshot().messages, messages);

  const late = new ThreadStore(muster, agentId, threadId);
  t.onTestFinished(late.subscribe(() => {}));
  await until("it is read", () => late.getSnapshot().messages.length === messages.length);
  const once = JSON.stringify(store.getSnapshot().outputs);
  await until("its events are replayed", () => JSON.stringify(late.getSnapshot().outputs) === once);
  for (const [call, text] of Object.entries(outputs))
    assert.equal(late.getSnapshot().outputs[call], text, "output is shown once");
});
