import assert from "node:assert/strict";
import { type ScriptedStep, startScriptedProvider } from "@muster/models/testing";
import type { TestClient } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { startTestServer } from "./support/server.ts";

const agent = {
  settings: { slug: "wide", name: "Wide", format: "interactive" },
  protocol: `
triggers: { say: {}, store: { input: { DATA: { type: unknown } } } }
tools: { look-up: { description: Looks it up., display: stream } }
agent: { model: openai/gpt-4o-mini, tools: [look-up], agentic: true }
handlers:
  say: { Answer: { block: next-message } }
  store: { Answer: { block: next-message } }
`,
  prompts: [],
};
const asks: ScriptedStep = { parts: [{ toolCall: { id: "call_a", name: "look-up", arguments: {} } }] };
const answers: ScriptedStep = { parts: [{ text: "Done." }] };

/** Three MiB in 30,000 keys: as costly to parse as anything that a caller may send. */
const wide = Object.fromEntries(
  Array.from({ length: 30_000 }, (_, index) => [`key ${index} ${"y".repeat(90)}`, index]),
);

/** The longest text that the services, which share this thread, parse without a break. */
const longestParse = 512 * 1024;

async function start(t: TestContext, steps: ScriptedStep[]) {
  const provider = await startScriptedProvider(t, { format: "openai", steps });
  const { client } = await startTestServer(t, {
    OPENAI_API_KEY: "test",
    OPENAI_BASE_URL: provider.baseUrl,
  });
  const agentId = await client.field("agentId", 201, "POST", "/api/agents", agent);
  const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  return { client, sessionId, provider };
}

/** Sends a request, and returns the response and the length of the longest text that this thread has parsed meanwhile. */
async function watchParsing(t: TestContext, send: () => Promise<Response>) {
  const original = JSON.parse;
  let longest = 0;
  const restore = () => {
    JSON.parse = original;
  };
  t.onTestFinished(restore);
  JSON.parse = (text, reviver) => {
    // The scripted provider shares the thread, but is no part of Muster.
    if (text.length > longest && !new Error().stack?.includes("scripted-provider")) longest = text.length;
    return original(text, reviver);
  };
  const response = await send();
  const text = await response.text();
  restore();
  assert.equal(response.status, 200, text.slice(0, 500));
  assert.ok(!text.includes('"type":"error"'), text.slice(0, 500));
  return { longest, text };
}

async function giveWideResult(t: TestContext) {
  const started = await start(t, [asks, answers, answers]);
  const { client, sessionId } = started;
  const paused = await client.trigger(sessionId, { triggerName: "say" });
  assert.equal(paused.at(-1)?.finishReason, "tool-calls");
  const body = { triggerName: "say", toolResults: [{ toolCallId: "call_a", result: wide }] };
  return { ...started, send: () => trigger(client, sessionId, body) };
}

function trigger(client: TestClient, sessionId: string, body: unknown): Promise<Response> {
  return client.request("POST", `/api/agent-sessions/${sessionId}/trigger`, body);
}

test("no large text is parsed without a break for a large input", async (t) => {
  const { client, sessionId } = await start(t, [answers]);
  const send = () => trigger(client, sessionId, { triggerName: "store", input: { DATA: wide } });
  assert.ok((await watchParsing(t, send)).longest <= longestParse);
});

test("no large text is parsed without a break for a wide tool result, later readers, who get it unchanged, and later turns", async (t) => {
  const { client, sessionId, provider, send } = await giveWideResult(t);
  assert.ok((await watchParsing(t, send)).longest <= longestParse, "the result");
  for (const query of ["", "?format=ui"]) {
    const read = () => client.request("GET", `/api/agent-sessions/${sessionId}${query}`);
    const { longest, text } = await watchParsing(t, read);
    assert.ok(longest <= longestParse, `a reader of ${query}`);
    assert.ok(JSON.stringify(JSON.parse(text)).includes(`"result":${JSON.stringify(wide)}`), query);
  }
  const next = () => trigger(client, sessionId, { triggerName: "say" });
  assert.ok((await watchParsing(t, next)).longest <= longestParse, "the next turn");
  assert.ok(JSON.stringify(provider.requests.at(-1)).includes("key 29999"));
});
