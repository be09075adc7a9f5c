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
