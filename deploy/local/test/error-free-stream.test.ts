import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { startScriptedProvider } from "@muster/models/testing";
import { eventsOf, textOf, until } from "@muster/testing";
import { describe, test } from "vitest";
import { constructionsDuring } from "./support/constructions.ts";
import { startTestServer, type TestServer } from "./support/server.ts";

const chat = {
  settings: { slug: "chat", name: "Chat", format: "interactive" },
  protocol: `
agent: { model: openai/gpt-4o-mini }
triggers: { say: {} }
handlers: { say: { Answer: { block: next-message } } }
`,
  prompts: [],
};
/** The provider packages decode with Node's `TextDecoderStream`, which constructs one exception when it ends. */
const decodersOfThreeCalls = "NodeError (3 times, node:internal/errors)";

const answer = { parts: [{ text: "Owls fly " }, { text: "by night." }] };

/** Without `fetch`, which constructs exceptions of its own. Resolves once the connection is closed on both sides. */
async function trigger({ url, key }: TestServer, sessionId: string) {
  const sent = request(`${url}/api/agent-sessions/${sessionId}/trigger`, {
    method: "POST",
    agent: false,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  });
  sent.end(JSON.stringify({ triggerName: "say" }));
  const [response]: IncomingMessage[] = await once(sent, "response");
  assert.ok(response);
  const events = eventsOf(await text(response));
  if (!sent.destroyed) await once(sent, "close");
  await new Promise((resolve) => setImmediate(resolve));
  return events;
}

describe("exceptions in streams", () => {
  for (const transport of ["in-process", "grpc"]) {
    test(`a stream that ends well constructs no exception (${transport})`, async (t) => {
      const provider = await startScriptedProvider(t, {
        format: "openai",
        steps: [answer, answer, answer, answer],
      });
      const server = await startTestServer(t, {
        OPENAI_API_KEY: "test",
        OPENAI_BASE_URL: provider.baseUrl,
        MUSTER_TRANSPORT: transport,
      });
      const agentId = await server.client.field("agentId", 201, "POST", "/api/agents", chat);
      // Services that append to it at once construct exceptions, too.
      await until("the audit log names the agent", async () =>
        JSON.stringify(await server.client.json(200, "GET", "/api/admin/audit")).includes(agentId),
      );
      const session = () => server.client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
      // The first stream loads modules and opens connections. It may take so long that its events are stored before it ends.
      await trigger(server, String(await session()));
      const sessions = [await session(), await session()];
      const made = await constructionsDuring(async () => {
        for (const sessionId of [...sessions, ...sessions.slice(0, 1)]) {
          assert.equal(textOf(await trigger(server, String(sessionId))), "Owls fly by night.");
        }
      });
      assert.deepEqual(
        made.filter((line) => line !== decodersOfThreeCalls),
        [],
      );
    });
  }
});
