import assert from "node:assert/strict";
import { Code } from "@connectrpc/connect";
import { Format } from "@muster/proto/agents";
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

test("a definition with errors is refused with all errors, and nothing is stored", async (t) => {
  const running = await startAgents(t);
  const broken = protocol.replace("demo/echo", "demo").replace("next-message", "nxt-message");
  const issues = await issuesOf(createAgent(running, { protocol: broken }));
  assert.deepEqual(
    issues.map(({ code, path }) => [code, path]),
    [
      ["INVALID_MODEL", "agent.model"],
      ["UNKNOWN_BLOCK", "handlers.user-message.Answer.block"],
    ],
  );
  assert.match(issues[1]?.message ?? "", /^Line 7, column \d+: /);
  assert.deepEqual(issues[1]?.suggestions, ["next-message"]);
  await assert.rejects(createAgent(running, { protocol: broken }), (error) => {
    const { reason, message } = readRpcError(error);
    assert.equal(reason, Reason.INVALID_DEFINITION);
    assert.match(message, /^The definition has errors\. agent\.model: Line 2, column \d+: "demo" is .*\. /);
    assert.match(
      message,
      / handlers\.user-message\.Answer\.block: Line 7, .* "nxt-message"\. Did you mean next-message\?$/,
    );
    return true;
  });
  assert.equal(await running.db.collection("agent_versions").countDocuments(), 0);
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

test("all invalid fields of a new agent are reported at once with their paths", async (t) => {
  const running = await startAgents(t);
  const wrong = createAgent(running, {
    settings: {
      slug: "No Slug",
      name: "a\u0000b",
      description: "x".repeat(1_001),
      format: Format.UNSPECIFIED,
    },
    prompts: [{ name: "", content: "\u0000" }],
    references: [{ name: "a", description: "", content: "" }],
  });
  const issues = await issuesOf(wrong);
  await assert.rejects(wrong, refused(Reason.INVALID_DEFINITION));
  for (const expected of [
    ["INVALID_SLUG", "settings.slug"],
    ["INVALID_TEXT", "settings.name"],
    ["LIMIT_EXCEEDED", "settings.description"],
    ["ENUM_MISMATCH", "settings.format"],
    ["INVALID_NAME", "prompts.0.name"],
    ["INVALID_TEXT", "prompts.0.content"],
    ["MISSING_FIELD", "references.0.description"],
  ]) {
    const found = issues.some(({ code, path }) => code === expected[0] && path === expected[1]);
    assert.ok(found, expected.join(" at "));
  }
  await assert.rejects(running.client.createAgent({}, running.as()), refused(Reason.INVALID_REQUEST));
});

for (const [what, changes] of Object.entries({
  "a protocol of more than 128 KiB": { protocol: `# ${"x".repeat(128 * 1024)}` },
  "more than 256 prompts": {
    prompts: Array.from({ length: 257 }, (_, i) => ({ name: `p${i}`, content: "" })),
  },
  "a prompt of more than 64 KiB": { prompts: [{ name: "p", content: "ä".repeat(32 * 1024 + 1) }] },
  "prompts of more than 1 MiB in total": {
    prompts: Array.from({ length: 17 }, (_, i) => ({ name: `p${i}`, content: "x".repeat(64 * 1024) })),
  },
})) {
  test(`a definition with ${what} is too large`, async (t) => {
    const running = await startAgents(t);
    await assert.rejects(createAgent(running, changes), refused(Reason.TOO_LARGE));
  });
}

test("a repeated prompt name and a prompt name outside the folder are refused", async (t) => {
  const running = await startAgents(t);
  const prompts = ["system", "user", "user", "../secret"].map((name) => ({ name, content: "" }));
  const issues = await issuesOf(createAgent(running, { prompts }));
  assert.deepEqual(
    issues.filter(({ severity }) => severity === "error").map(({ code, path }) => [code, path]),
    [
      ["DUPLICATE_PROMPT", "prompts.2.name"],
      ["INVALID_NAME", "prompts.3.name"],
    ],
  );
});

test("creating an agent needs the permission agents and refuses credentials for one agent or session", async (t) => {
  const running = await startAgents(t);
  const request = { definition: definition() };
  for (const caller of [
    { permissions: ["sessions" as const] },
    { agentId: "agt_1" },
    { sessionId: "ses_1" },
  ]) {
    await assert.rejects(running.client.createAgent(request, running.as(caller)), refused(Reason.FORBIDDEN));
  }
  await assert.rejects(running.client.createAgent(request), refused(Reason.UNAUTHENTICATED));
});
