import assert from "node:assert/strict";
import { Reason } from "@muster/proto/errors";
import { test } from "vitest";
import { byId, bySlug, createAgent, refused, startAgents } from "./support/start-agents.ts";

test("an administrator resolves the id or slug of an active agent of its project", async (t) => {
  const running = await startAgents(t);
  const agentId = await createAgent(running);
  const admin = running.as({ permissions: ["admin"] });
  for (const agent of [byId(agentId), bySlug("support-chat")]) {
    assert.equal((await running.client.resolveAgent({ agent }, admin)).agentId, agentId);
  }
  const foreign = running.as({ permissions: ["admin"], projectId: "prj_two" });
  await assert.rejects(
    running.client.resolveAgent({ agent: byId(agentId) }, foreign),
    refused(Reason.NOT_FOUND),
  );
  await running.client.archiveAgent({ agent: byId(agentId) }, running.as());
  await assert.rejects(
    running.client.resolveAgent({ agent: byId(agentId) }, admin),
    refused(Reason.NOT_FOUND),
  );
});
