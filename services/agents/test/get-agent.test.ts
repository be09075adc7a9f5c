import assert from "node:assert/strict";
import { Reason } from "@muster/proto/errors";
import { test } from "vitest";
import { byId, bySlug, createAgent, refused, startAgents } from "./support/start-agents.ts";

test("an agent is found by id and by slug, with either permission", async (t) => {
  const running = await startAgents(t);
  const id = await createAgent(running);
  for (const agent of [byId(id), bySlug("support-chat")]) {
    for (const permission of ["agents", "sessions"] as const) {
      const found = await running.client.getAgent({ agent }, running.as({ permissions: [permission] }));
      assert.equal(found.agent?.id, id);
    }
  }
});

test("an empty reference to an agent is refused", async (t) => {
  const running = await startAgents(t);
  for (const request of [{}, { agent: {} }, { agent: byId("") }, { agent: bySlug("x".repeat(201)) }]) {
    await assert.rejects(running.client.getAgent(request, running.as()), refused(Reason.INVALID_REQUEST));
  }
});

test("a key for one agent reads that agent only, and does not learn which others exist", async (t) => {
  const running = await startAgents(t);
  const id = await createAgent(running);
  const other = await createAgent(running, { slug: "other" });
  const scoped = running.as({ permissions: ["sessions"], agentId: id });
  for (const agent of [byId(id), bySlug("support-chat")]) {
    assert.equal((await running.client.getAgent({ agent }, scoped)).agent?.id, id);
    assert.equal((await running.client.listAgentVersions({ agent }, scoped)).versions.length, 1);
  }
  for (const agent of [byId(other), bySlug("other"), byId("agt_none"), bySlug("none")]) {
    await assert.rejects(running.client.getAgent({ agent }, scoped), refused(Reason.FORBIDDEN));
    await assert.rejects(running.client.listAgentVersions({ agent }, scoped), refused(Reason.FORBIDDEN));
  }
});

test("a token cannot read definitions, not even that of its agent", async (t) => {
  const running = await startAgents(t);
  const id = await createAgent(running);
  const scopes = [{ tokenId: "tok_1" }, { tokenId: "tok_1", sessionId: "ses_1" }, { sessionId: "ses_1" }];
  for (const scope of scopes) {
    const token = running.as({ permissions: ["sessions", "agents"], agentId: id, ...scope });
    await assert.rejects(running.client.getAgent({ agent: byId(id) }, token), refused(Reason.FORBIDDEN));
    await assert.rejects(running.client.listAgents({}, token), refused(Reason.FORBIDDEN));
    await assert.rejects(
      running.client.updateAgent({ agent: byId(id), name: "New" }, token),
      refused(Reason.FORBIDDEN),
    );
  }
});
