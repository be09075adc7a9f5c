import assert from "node:assert/strict";
import { Code } from "@connectrpc/connect";
import { Reason } from "@muster/proto/errors";
import { readRpcError } from "@muster/rpc";
import { test } from "vitest";
import {
  byId,
  createAgent,
  definition,
  issuesOf,
  protocol,
  refused,
  startAgents,
} from "./support/start-agents.ts";

test("a new agent is stored unchanged as version 1", async (t) => {
  const running = await startAgents(t);
  const references = [{ name: "prices", description: "All prices", content: "# Prices\n1 €" }];
  const { agentId, version } = await running.client.createAgent(
    { definition: definition({ references }) },
    running.as(),
  );
  assert.match(agentId, /^agt_/);
  assert.equal(version, 1);
  const { agent } = await running.client.getAgent({ agent: byId(agentId) }, running.as());
  assert.equal(agent?.projectId, "prj_one");
  assert.equal(agent.version, 1);
  assert.equal(agent.definition?.protocol, protocol);
  assert.equal(agent.definition.settings?.description, "Helps");
  assert.equal(agent.definition.prompts[1]?.content, "{{USER_MESSAGE}}");
  assert.deepEqual(
    agent.definition.references.map(({ name }) => name),
    ["prices"],
  );
});

test("one of ten concurrent creates of a slug succeeds, and the others leave nothing behind", async (t) => {
  const running = await startAgents(t);
  const calls = Array.from({ length: 10 }, () => createAgent(running, { slug: "wanted" }));
  const outcomes = await Promise.allSettled(calls);
  const lost = outcomes.filter(({ status }) => status === "rejected");
  assert.equal(lost.length, 9);
  for (const outcome of lost)
    assert.ok(outcome.status === "rejected" && refused(Reason.SLUG_TAKEN)(outcome.reason));
  assert.equal(await running.db.collection("agents").countDocuments(), 1);
  assert.equal(await running.db.collection("agent_versions").countDocuments(), 1);
});

test("a create whose caller disconnected while it waited stores nothing", async (t) => {
  const running = await startAgents(t);
  const prompts = Array.from({ length: 16 }, (_, i) => ({
    name: `p${i}`,
    content: "{{A}}".repeat(13_000),
  }));
  const slow = { definition: definition({ prompts }) };
  const before = [1, 2].map(() => running.client.validateAgent(slow, running.as()));
  const late = running.client.createAgent({ definition: definition() }, { ...running.as(), timeoutMs: 20 });
  await assert.rejects(late, { code: Code.DeadlineExceeded });
  await Promise.all(before);
  // Waits behind the create in the project's queue.
  await running.client.validateAgent({ definition: definition() }, running.as());
  assert.equal(await running.db.collection("agents").countDocuments(), 0);
});

test("two projects may use the same slug", async (t) => {
  const running = await startAgents(t);
  await createAgent(running);
  const other = running.as({ projectId: "prj_two" });
  await running.client.createAgent({ definition: definition() }, other);
  const { agents } = await running.client.listAgents({}, other);
  assert.equal(agents.length, 1);
});

test("the refusal of a definition names its first three errors, errors before warnings, and counts the rest", async (t) => {
  const running = await startAgents(t);
  const wrong = ["a", "b", "c", "d", "e"].map((key) => `${key}: 1\n`).join("");
  const refusal = createAgent(running, { protocol: `resources: {}\n${wrong}${protocol}` });
  await assert.rejects(refusal, (error) => {
    const { message } = readRpcError(error);
    assert.match(message, /^The definition has errors\. a: Line 2, .*\. b: Line 3, .*\. c: Line 4, /);
    assert.match(message, /And 2 more: see issues\.$/);
    assert.ok(message.length < 1_000, String(message.length));
    return true;
  });
});

test("hostile YAML and hundreds of errors are refused, and the service keeps running", async (t) => {
  const running = await startAgents(t);
  const input = Array.from({ length: 2_000 }, (_, index) => `  V${index}: { type: x }\n`).join("");
  const hostile = ["[".repeat(100_000), "a: &a [x]\nb: *a", "]".repeat(100_000), `input:\n${input}`];
  const calls = hostile.map((text) => createAgent(running, { protocol: text }));
  const listed = running.client.listAgents({}, running.as());
  for (const call of calls) {
    await assert.rejects(call, refused(Reason.INVALID_DEFINITION));
    assert.ok((await issuesOf(call)).length > 0);
  }
  assert.deepEqual((await listed).agents, []);
  await createAgent(running);
});
