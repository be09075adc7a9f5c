import assert from "node:assert/strict";
import { type ScriptedStep, startScriptedProvider } from "@muster/models/testing";
import { eventsOf, type TestClient } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { startTestServer } from "./support/server.ts";

const worker = {
  settings: { slug: "owl-research", name: "Owls", format: "worker" },
  protocol: `
input: { TOPIC: { type: string } }
variables: { REPORT: { type: string } }
tools: { look-up: { description: Looks it up., parameters: { name: { type: string } } } }
steps:
  Open: { block: start-thread, thread: work, model: openai/gpt-4o-mini, tools: [look-up], agentic: true }
  Ask: { block: add-message, role: user, prompt: task, input: [TOPIC], thread: work }
  Answer: { block: next-message, thread: work, output: REPORT }
output: REPORT
`,
  prompts: [{ name: "task", content: "Find out about {{TOPIC}}." }],
};
const chat = {
  settings: { slug: "chat", name: "Chat", format: "interactive" },
  protocol: `
agent: { model: demo/echo }
triggers: { say: {} }
handlers: { say: { Answer: { block: next-message } } }
`,
  prompts: [],
};

const asks: ScriptedStep = {
  parts: [{ toolCall: { id: "call_a", name: "look-up", arguments: { name: "owls" } } }],
  usage: { inputTokens: 1_000, outputTokens: 100 },
};
const reports: ScriptedStep = {
  parts: [{ text: "Owls fly by night." }],
  usage: { inputTokens: 2_000, outputTokens: 50 },
};
const path = "/api/agents/owl-research/execute?by=slug";
const start = { type: "start", input: { TOPIC: "owls" } };

/** The whole of Muster with both agents, in front of a scripted provider that imitates OpenAI. */
async function startWithAgents(t: TestContext, steps: ScriptedStep[], env: Record<string, string> = {}) {
  const provider = await startScriptedProvider(t, { format: "openai", steps });
  const openai = { OPENAI_API_KEY: "test", OPENAI_BASE_URL: provider.baseUrl };
  const { url, client } = await startTestServer(t, { ...openai, ...env });
  const create = (body: unknown) => client.field("agentId", 201, "POST", "/api/agents", body);
  return { url, client, provider, workerId: await create(worker), chatId: await create(chat) };
}

async function execute(client: TestClient, body: unknown) {
  const response = await client.request("POST", path, body);
  assert.equal(response.status, 200);
  return eventsOf(await response.text());
}

for (const transport of ["in-process", "grpc"]) {
  test(`a worker runs with its caller's tools and reports its exact cost (${transport})`, async (t) => {
    const env = { MUSTER_TRANSPORT: transport, BANDWIDTH_FEE_PER_1M: "0.5" };
    const { client } = await startWithAgents(t, [asks, reports], env);
    const paused = await execute(client, start);
    const types = paused.map(({ type }) => type);
    assert.deepEqual(types.slice(0, 2), ["start", "worker-start"]);
    assert.deepEqual(types.slice(-2), ["tool-request", "finish"]);
    const next = {
      type: "continue",
      executionId: paused[0]?.executionId,
      toolResults: [{ toolCallId: "call_a", toolName: "look-up", result: { owls: "fly" } }],
    };
    const done = await execute(client, next);
    assert.equal(done.find(({ type }) => type === "worker-result")?.output, "Owls fly by night.");
    assert.deepEqual(done.at(-1), {
      type: "usage",
      cost: {
        currency: "USD",
        providerFee: 0.00054,
        bandwidthFee: 0.001575,
        totalFee: 0.002115,
        byok: false,
      },
      tokens: { inputTokens: 3_000, outputTokens: 150, totalTokens: 3_150 },
    });
    assert.equal((await client.json(400, "POST", path, next)).code, "UNKNOWN_TOOL_CALL");
  });
}

test("an agent that cannot be executed is refused before the stream begins", async (t) => {
  const { client, workerId, chatId } = await startWithAgents(t, []);
  const to = (agentId: string) => `/api/agents/${agentId}/execute`;
  const missing = await client.json(400, "POST", to(workerId), { type: "start" });
  assert.equal(missing.code, "INVALID_INPUT");
  assert.deepEqual(missing.issues, [{ path: "input.TOPIC", message: "TOPIC is required." }]);
  const interactive = await client.json(400, "POST", to(chatId), { type: "start" });
  assert.equal(interactive.code, "INVALID_REQUEST");
  assert.match(String(interactive.error), /create a session/);
  const unknown = { type: "continue", executionId: "exe_none", toolResults: [] };
  assert.equal((await client.json(404, "POST", to(workerId), unknown)).code, "NOT_FOUND");
  await client.json(404, "POST", "/api/agents/none/execute?by=slug", start);
  await client.json(200, "DELETE", `/api/agents/${workerId}`);
  assert.equal((await client.json(409, "POST", to(workerId), start)).code, "AGENT_ARCHIVED");
  await client.json(404, "POST", path, start);
});

test("a client that disconnects ends the model call", async (t) => {
  const { client, provider } = await startWithAgents(t, [{ parts: [{ text: "Owls" }], ending: "hang" }]);
  const aborter = new AbortController();
  const response = await client.request("POST", path, start, aborter.signal);
  const reader = response.body?.getReader();
  await provider.received(1);
  await reader?.read();
  aborter.abort();
  await provider.requests[0]?.clientGone;
});
