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

test("a credential without a suitable permission resolves no agent, and one for one agent only that one", async (t) => {
  const running = await startAgents(t);
  const agent = byId(await createAgent(running));
  const other = byId(await createAgent(running, { slug: "other" }));
  const minter = running.as({ permissions: ["sessions"], agentId: agent.by.value });
  await running.client.resolveAgent({ agent }, minter);
  await assert.rejects(running.client.resolveAgent({ agent: other }, minter), refused(Reason.FORBIDDEN));
  for (const caller of [
    { permissions: ["sessions" as const], agentId: agent.by.value, tokenId: "tok_1" },
    { permissions: ["admin" as const], agentId: agent.by.value },
    { permissions: ["workforce" as const, "mint-tokens" as const] },
  ]) {
    await assert.rejects(
      running.client.resolveAgent({ agent }, running.as(caller)),
      refused(Reason.FORBIDDEN),
    );
  }
});
