import assert from "node:assert/strict";
import { createModels, readModelsConfig } from "@muster/models";
import { type ScriptedStep, startScriptedProvider } from "@muster/models/testing";
import { describe, type TestContext, test } from "vitest";
import { FoldingClient } from "./support/folding.ts";
import { openSession, startWorld } from "./support/harness.ts";

const prompts = { message: "{{TEXT}}" };
const protocolWith = (options: string) => `
input:
  MODEL: { type: string, default: anthropic/claude-sonnet-4-5 }
triggers:
  say: { input: { TEXT: { type: string } } }
agent:
  model: MODEL
  backupModel: demo/echo
  agentic: true
${options}
handlers:
  say:
    Add: { block: add-message, role: user, prompt: message, input: [TEXT] }
    Answer: { block: next-message }
`;

const bothTools = `  anthropic:
    tools:
      web-search: { display: stream, title: Searching }
      code-execution: { display: name }
    skills:
      pptx: { type: anthropic, version: "20251013" }
      skill_own: { type: custom }
`;

async function startWith(t: TestContext, options: string, steps: ScriptedStep[]) {
  const world = await startWorld(t);
  const provider = await startScriptedProvider(t, { format: "anthropic", steps });
  const models = createModels(
    readModelsConfig({ ANTHROPIC_BASE_URL: provider.baseUrl, DEMO_WORD_DELAY_MS: "0" }),
  );
  world.agents.set("agt_chat", [{ prompts, protocol: protocolWith(options) }]);
  const instances = [
    await world.addInstance({}, { models }),
    await world.addInstance({}, { models }),
  ] as const;
  const sessionId = await openSession(world, instances[0], {});
  return { client: new FoldingClient(world, instances, sessionId), provider, world };
}

const event = (data: { type: string }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
let index = 100;

/** A block of Anthropic's stream, sent as a whole. */
function block(content: object, json?: string) {
  index += 1;
  const delta = { type: "input_json_delta", partial_json: json };
  return [
    event({ type: "content_block_start", ...{ index, content_block: content } }),
    ...(json === undefined ? [] : [event({ type: "content_block_delta", ...{ index, delta } })]),
    event({ type: "content_block_stop", ...{ index } }),
  ].join("");
}

const search = (id: string, query: string) => ({
  raw: block({ type: "server_tool_use", id, name: "web_search", input: {} }, JSON.stringify({ query })),
});
const found = (id: string, title: string) => ({
  raw: block({
    type: "web_search_tool_result",
    tool_use_id: id,
    content: [
      {
        type: "web_search_result",
        url: "https://example.com",
        title,
        page_age: null,
        encrypted_content: "x1",
      },
    ],
  }),
});
const run = (id: string, command: string) => ({
  raw: block(
    { type: "server_tool_use", id, name: "bash_code_execution", input: {} },
    JSON.stringify({ command }),
  ),
});
const ran = (id: string, stdout: string) => ({
  raw: block({
    type: "bash_code_execution_tool_result",
    tool_use_id: id,
    content: { type: "bash_code_execution_result", stdout, stderr: "", return_code: 0, content: [] },
  }),
});

function callsOf({ fold }: FoldingClient) {
  const parts = fold.messages().flatMap((message) => message.parts);
  return parts.flatMap((part) => (part.type === "tool-call" ? [part] : []));
}

describe("tools and skills that Anthropic runs", () => {
  test("are offered with their versions, shown by their display, and read again by the model in the next turn", async (t) => {
    const { client, provider } = await startWith(t, bothTools, [
      {
        parts: [
          { text: "Let me see." },
          search("srvtoolu_1", "weather"),
          found("srvtoolu_1", "Sun"),
          run("srvtoolu_2", "ls"),
          ran("srvtoolu_2", "a.txt"),
          { text: "It is sunny." },
        ],
        finish: "stop",
      },
      { parts: [{ text: "Bye." }] },
    ]);
    await client.trigger("Hello");
    const [first] = provider.requests;
    assert.deepEqual(first?.body.tools, [
      { type: "web_search_20250305", name: "web_search" },
      { type: "code_execution_20250825", name: "code_execution" },
    ]);
    assert.deepEqual(first?.body.container, {
      skills: [
        { type: "anthropic", skill_id: "pptx", version: "20251013" },
        { type: "custom", skill_id: "skill_own" },
      ],
    });
    assert.match(String(first?.headers["anthropic-beta"]), /skills-2025-10-02/);
    const [searched, executed] = callsOf(client);
    assert.deepEqual(
      [searched?.displayName, searched?.status, searched?.args, Array.isArray(searched?.result)],
      ["Searching", "done", { query: "weather" }, true],
    );
    assert.deepEqual([executed?.status, executed?.args, executed?.result], ["done", {}, undefined]);

    await client.trigger("Thanks");
    const sent = provider.requests[1]?.body.messages;
    assert.ok(Array.isArray(sent));
    const kinds = sent[1].content.map(({ type }: { type: string }) => type);
    assert.deepEqual(kinds, [
      "text",
      "server_tool_use",
      "web_search_tool_result",
      "server_tool_use",
      "bash_code_execution_tool_result",
      "text",
    ]);
    assert.equal(sent[1].content[1].id, "srvtoolu_1");
    assert.equal(sent[1].content[2].content[0].encrypted_content, "x1");
    await client.compareRestored();
  });

  test("do not pause the turn or make another step, and a paused turn is continued by one more call", async (t) => {
    const { client, provider } = await startWith(t, bothTools, [
      { parts: [search("srvtoolu_1", "weather"), found("srvtoolu_1", "Sun")], finish: "pause" },
      { parts: [{ text: "It is sunny." }] },
    ]);
    await client.trigger("Hello");
    assert.equal(provider.requests.length, 2);
    assert.deepEqual(
      callsOf(client).map(({ status }) => status),
      ["done"],
    );
    await client.compareRestored();
  });

  test("whose result never arrives or is an error fail only their call, and are not read again", async (t) => {
    const failed = {
      raw: block({
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_1",
        content: { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" },
      }),
    };
    const { client, provider } = await startWith(t, bothTools, [
      {
        parts: [search("srvtoolu_1", "a"), failed, search("srvtoolu_2", "b"), { text: "No luck." }],
        finish: "stop",
      },
      { parts: [{ text: "Bye." }] },
    ]);
    await client.trigger("Hello");
    assert.deepEqual(
      callsOf(client).map(({ status }) => status),
      ["error", "cancelled"],
    );
    await client.trigger("Thanks");
    assert.doesNotMatch(JSON.stringify(provider.requests[1]?.body.messages), /srvtoolu/);
    await client.compareRestored();
  });

  test("are not offered to a backup model of another provider, which does not read their calls", async (t) => {
    const { client, provider } = await startWith(t, bothTools, [
      { parts: [search("srvtoolu_1", "a"), found("srvtoolu_1", "Sun"), { text: "Sunny." }], finish: "stop" },
      { status: 529 },
    ]);
    await client.trigger("Hello");
    const events = await client.trigger("Thanks");
    assert.equal(provider.requests.length, 2);
    assert.ok(JSON.stringify(events ?? client.fold.messages()).includes("Thanks"));
    await client.compareRestored();
  });

  test("that were not listed leave no trace", async (t) => {
    const { client } = await startWith(t, "", [
      { parts: [search("srvtoolu_1", "a"), found("srvtoolu_1", "Sun"), { text: "Sunny." }], finish: "stop" },
    ]);
    await client.trigger("Hello");
    assert.deepEqual(callsOf(client), []);
    await client.compareRestored();
  });
});
