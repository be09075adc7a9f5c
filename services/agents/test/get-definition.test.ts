import assert from "node:assert/strict";
import { Reason } from "@muster/proto/errors";
import { test } from "vitest";
import { byId, createAgent, refused, startAgents } from "./support/start-agents.ts";

test("a session's version stays readable after changes and after the agent is archived", async (t) => {
  const running = await startAgents(t);
  const agentId = await createAgent(running);
  await running.client.updateAgent({ agent: byId(agentId), name: "Second" }, running.as());
  await running.client.archiveAgent({ agent: byId(agentId) }, running.as());
  const caller = running.as({ permissions: ["sessions"] });
  const first = await running.client.getDefinition({ agentId, version: 1 }, caller);
  assert.equal(first.archived, true);
  assert.equal(first.agent?.definition?.settings?.name, "Support");
  const latest = await running.client.getDefinition({ agentId }, caller);
  assert.equal(latest.agent?.version, 2);
});

test("GetDefinition accepts the slug of an active agent that the credential may use", async (t) => {
  const running = await startAgents(t);
  const agentId = await createAgent(running);
  const { client } = running;
  const bySlug = (principal: Parameters<typeof running.as>[0], slug = "support-chat") =>
    client.getDefinition({ slug }, running.as({ permissions: ["sessions"], ...principal }));
  assert.equal((await bySlug({})).agent?.id, agentId);
  assert.equal((await bySlug({ agentId })).agent?.id, agentId);
  await assert.rejects(bySlug({ agentId: "agt_other" }), refused(Reason.FORBIDDEN));
  // This credential must not learn whether the agent exists.
  await assert.rejects(bySlug({ agentId: "agt_other" }, "unknown"), refused(Reason.FORBIDDEN));
  await assert.rejects(bySlug({}, "unknown"), refused(Reason.NOT_FOUND));
  await assert.rejects(bySlug({ projectId: "prj_two" }), refused(Reason.NOT_FOUND));
  await client.archiveAgent({ agent: byId(agentId) }, running.as());
  await assert.rejects(bySlug({}), refused(Reason.NOT_FOUND));
});

test("GetDefinition does not find other projects or unknown versions", async (t) => {
  const running = await startAgents(t);
  const agentId = await createAgent(running);
  const other = running.as({ projectId: "prj_two" });
  await assert.rejects(running.client.getDefinition({ agentId }, other), refused(Reason.NOT_FOUND));
  await assert.rejects(
    running.client.getDefinition({ agentId, version: 2 }, running.as()),
    refused(Reason.NOT_FOUND),
  );
  await assert.rejects(
    running.client.getDefinition({ agentId: "" }, running.as()),
    refused(Reason.NOT_FOUND),
  );
});
