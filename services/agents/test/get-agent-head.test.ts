import assert from "node:assert/strict";
import { Reason } from "@muster/proto/errors";
import { test } from "vitest";
import { byId, createAgent, refused, startAgents } from "./support/start-agents.ts";

const id = (agentId: string) => ({ by: { case: "agentId" as const, value: agentId } });
const slug = (value: string) => ({ by: { case: "slug" as const, value } });

test("the head of an agent names its latest version and whether it is archived", async (t) => {
  const running = await startAgents(t);
  const agentId = await createAgent(running);
  const caller = running.as({ permissions: ["sessions"] });
  const before = await running.client.getAgentHead(id(agentId), caller);
  assert.deepEqual(
    [before.agentId, before.slug, before.version, before.archived],
    [agentId, "support-chat", 1, false],
  );
  await running.client.updateAgent({ agent: byId(agentId), name: "Second" }, running.as());
  assert.equal((await running.client.getAgentHead(slug("support-chat"), caller)).version, 2);
  await running.client.archiveAgent({ agent: byId(agentId) }, running.as());
  const after = await running.client.getAgentHead(id(agentId), caller);
  assert.deepEqual([after.version, after.archived], [2, true]);
  await assert.rejects(running.client.getAgentHead(slug("support-chat"), caller), refused(Reason.NOT_FOUND));
});

test("a credential for one agent does not learn which others exist", async (t) => {
  const running = await startAgents(t);
  const agentId = await createAgent(running);
  const { client } = running;
  const own = running.as({ permissions: ["sessions"], agentId });
  assert.equal((await client.getAgentHead(slug("support-chat"), own)).agentId, agentId);
  const other = running.as({ permissions: ["sessions"], agentId: "agt_other" });
  for (const request of [id(agentId), id("agt_none"), slug("support-chat"), slug("unknown"), {}]) {
    await assert.rejects(client.getAgentHead(request, other), refused(Reason.FORBIDDEN));
  }
});

test("agents of other projects and unknown ones have no head", async (t) => {
  const running = await startAgents(t);
  const agentId = await createAgent(running);
  const { client } = running;
  const elsewhere = running.as({ projectId: "prj_two" });
  await assert.rejects(client.getAgentHead(id(agentId), elsewhere), refused(Reason.NOT_FOUND));
  await assert.rejects(client.getAgentHead(slug("support-chat"), elsewhere), refused(Reason.NOT_FOUND));
  for (const request of [id("agt_none"), slug("unknown"), {}]) {
    await assert.rejects(client.getAgentHead(request, running.as()), refused(Reason.NOT_FOUND));
  }
});
