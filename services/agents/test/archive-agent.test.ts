import assert from "node:assert/strict";
import { Reason } from "@muster/proto/errors";
import { test } from "vitest";
import { byId, bySlug, createAgent, refused, startAgents } from "./support/start-agents.ts";

test("archiving frees the slug at once, and repeating it by id succeeds", async (t) => {
  const running = await startAgents(t);
  const first = await createAgent(running);
  await running.client.archiveAgent({ agent: bySlug("support-chat") }, running.as());
  const second = await createAgent(running);
  assert.notEqual(first, second);
  const again = await running.client.archiveAgent({ agent: byId(first) }, running.as());
  assert.equal(again.agentId, first);
  const { agent } = await running.client.getAgent({ agent: bySlug("support-chat") }, running.as());
  assert.equal(agent?.id, second);
});

test("archiving an unknown slug, an unknown id or another project's id is NOT_FOUND", async (t) => {
  const running = await startAgents(t);
  const id = await createAgent(running);
  const archive = (agent: ReturnType<typeof byId | typeof bySlug>, projectId = "prj_one") =>
    running.client.archiveAgent({ agent }, running.as({ projectId }));
  await assert.rejects(archive(byId(id), "prj_two"), refused(Reason.NOT_FOUND));
  await assert.rejects(archive(byId("agt_unknown")), refused(Reason.NOT_FOUND));
  await archive(byId(id));
  await assert.rejects(archive(bySlug("support-chat")), refused(Reason.NOT_FOUND));
});

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

test("the permission sessions is not enough to archive an agent", async (t) => {
  const running = await startAgents(t);
  const agent = byId(await createAgent(running));
  const caller = running.as({ permissions: ["sessions"] });
  await assert.rejects(running.client.archiveAgent({ agent }, caller), refused(Reason.FORBIDDEN));
});
