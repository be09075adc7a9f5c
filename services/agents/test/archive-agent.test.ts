import assert from "node:assert/strict";
import { Reason } from "@muster/proto/errors";
import { test } from "vitest";
import { byId, createAgent, refused, startAgents } from "./support/start-agents.ts";

test("an expected version that is not the current one archives nothing", async (t) => {
  const running = await startAgents(t);
  const agent = byId(await createAgent(running));
  await running.client.updateAgent({ agent, name: "Second" }, running.as());
  const archive = (expectedVersion: number) =>
    running.client.archiveAgent({ agent, expectedVersion }, running.as());
  await assert.rejects(archive(1), refused(Reason.VERSION_MISMATCH));
  await running.client.getAgent({ agent }, running.as());
  await archive(2);
  await archive(2);
  await assert.rejects(running.client.getAgent({ agent }, running.as()), refused(Reason.NOT_FOUND));
});

test("a concurrent archive and update leave an archived agent", async (t) => {
  const running = await startAgents(t);
  const id = await createAgent(running);
  const agent = byId(id);
  await Promise.allSettled([
    running.client.updateAgent({ agent, name: "New" }, running.as()),
    running.client.archiveAgent({ agent }, running.as()),
  ]);
  const { archived, agent: read } = await running.client.getDefinition({ agentId: id }, running.as());
  assert.ok(archived);
  assert.ok(read?.definition);
});
