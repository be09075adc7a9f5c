import assert from "node:assert/strict";
import type { WorkerPart } from "@muster/client";
import { record, StreamReader, type TestClient } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import type { StreamEvent } from "@muster/wire/events";
import { beforeAll, describe, test } from "vitest";
import { FoldedSession } from "../support/folded-session.ts";
import { startTestServer } from "../support/server.ts";
import { namedByEcho, sampleFiles, uploadFiles } from "../support/upload.ts";

const prompts = [
  { name: "message", content: "{{TEXT}}" },
  { name: "task", content: "Say {{TOPIC}}" },
  { name: "search", content: "look-up {{TOPIC}}" },
];

const chat = `
types:
  Order: { orderNumber: { type: string }, urgent: { type: boolean }, note: { type: string, optional: true } }
variables:
  ORDER: { type: Order }
  FOUND: { type: string }
tools:
  get-order: { description: Looks an order up., parameters: { orderNumber: { type: string } } }
  scan: { description: Scans a page., display: stream }
workers:
  find-owls: { description: Finds owls., display: stream }
  find-bats: { description: Finds bats., display: stream, tools: { look-up: get-order } }
  find-newts: { description: Fails., display: description }
triggers:
  say: { input: { TEXT: { type: string }, FILES: { type: "file[]", optional: true } } }
  order: { input: { TEXT: { type: string } } }
  delegate: { input: { TEXT: { type: string } } }
agent:
  model: demo/echo
  thinking: high
  tools: [get-order, scan]
  workers: [find-owls, find-bats, find-newts]
  agentic: true
  contextManagement: { thresholdPercent: 20, recentPercent: 5 }
handlers:
  say:
    Add: { block: add-message, role: user, prompt: message, input: [TEXT], files: [FILES] }
    Answer: { block: next-message }
  order:
    Add: { block: add-message, role: user, prompt: message, input: [TEXT] }
    Fill: { block: next-message, responseType: Order, output: ORDER }
  delegate:
    Find: { block: run-worker, worker: find-owls, input: { TOPIC: TEXT }, output: FOUND }
    Add: { block: add-message, role: user, prompt: message, input: [TEXT: FOUND] }
    Answer: { block: next-message }
`;

const worker = (prompt: string) => `
input: { TOPIC: { type: string, default: night } }
variables: { FOUND: { type: string } }
tools: { look-up: { description: Looks it up., parameters: { name: { type: string, optional: true } } } }
steps:
  Open: { block: start-thread, thread: main, model: demo/echo, thinking: low, tools: [look-up], agentic: true }
  Ask: { block: add-message, role: user, prompt: ${prompt}, input: [TOPIC] }
  Answer: { block: next-message, output: FOUND }
output: FOUND
`;
/** Its provider is not configured. */
const failing = worker("task").replace("model: demo/echo", "model: anthropic/claude-sonnet-4-5");

const say = (TEXT: string, more: object = {}) => ({ triggerName: "say", input: { TEXT, ...more } });

async function createAgents(client: TestClient): Promise<string> {
  const create = (slug: string, format: string, protocol: string) =>
    client.field("agentId", 201, "POST", "/api/agents", {
      ...{ settings: { slug, name: slug, format }, protocol, prompts },
    });
  await create("find-owls", "worker", worker("task"));
  await create("find-bats", "worker", worker("search"));
  await create("find-newts", "worker", failing);
  return create("chat", "interactive", chat);
}

async function open(client: TestClient, agentId: string): Promise<FoldedSession> {
  return new FoldedSession(
    client,
    await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId }),
  );
}

function answers(events: readonly StreamEvent[], answer: object) {
  const request = events.find((event) => event.type === "tool-request");
  assert.ok(request?.type === "tool-request");
  const toolResults = request.toolCalls.map(({ toolCallId, toolName }) => ({
    toolCallId,
    toolName,
    ...answer,
  }));
  return { toolCalls: request.toolCalls, toolResults };
}

const kindsOf = (session: FoldedSession) =>
  session.parts().map((part) => ("status" in part ? `${part.type} ${part.status}` : part.type));
const textOf = (session: FoldedSession) =>
  session
    .parts()
    .flatMap((part) => (part.type === "text" ? part.text : []))
    .join("");
const cardsOf = (session: FoldedSession): WorkerPart[] =>
  session.parts().flatMap((part) => (part.type === "worker" ? part : []));

describe("a client of demo/echo that follows the events has what GET returns in both formats, for", () => {
  const scope = suiteScope();
  let client: TestClient;
  let agentId: string;
  beforeAll(async () => {
    ({ client } = await startTestServer(scope));
    agentId = await createAgents(client);
  });

  test("reasoning before text", async () => {
    const session = await open(client, agentId);
    await session.trigger(say("Hello"));
    assert.deepEqual(kindsOf(session), ["reasoning done", "text done"]);
  });

  test("a tool call, while it waits and after its result", async () => {
    const session = await open(client, agentId);
    const paused = await session.trigger(say("get-order 1042"));
    assert.deepEqual(kindsOf(session), ["reasoning done", "text done", "tool-call running"]);
    const { toolCalls, toolResults } = answers(paused, { result: { status: "shipped" } });
    assert.deepEqual(toolCalls[0]?.args, { orderNumber: "1042" });
    await session.trigger({ ...say("get-order 1042"), toolResults });
    assert.ok(kindsOf(session).includes("tool-call done"));
    assert.match(textOf(session), /get-order returned status shipped/);
  });

  test("structured output", async () => {
    const session = await open(client, agentId);
    await session.trigger({ triggerName: "order", input: { TEXT: "orderNumber: 1042" } });
    const object = session.parts().find((part) => part.type === "object");
    assert.ok(object?.type === "object" && object.status === "done");
    const { variables } = await client.json(200, "GET", `/api/agent-sessions/${session.id}`);
    assert.deepEqual(record(variables).ORDER, object.object);
    assert.equal(record(object.object).orderNumber, "1042");
  });

  test("an image, a PDF and a text in a message, and in the result of a tool", async () => {
    const session = await open(client, agentId);
    const files = await uploadFiles(client, session.id, sampleFiles);
    await session.trigger(say("Look", { FILES: files }));
    for (const file of files) assert.ok(textOf(session).includes(namedByEcho(file)), textOf(session));
    const sent = session.fold.messages()[0]?.parts.filter(({ type }) => type === "file");
    assert.deepEqual(
      sent,
      files.map((file) => ({ type: "file", ...file })),
    );

    const paused = await session.trigger(say("scan it"));
    const { toolResults } = answers(paused, { result: "Three pages", files });
    await session.trigger({ ...say("scan it"), toolResults });
    assert.equal(kindsOf(session).filter((kind) => kind === "file").length, 3);
    for (const file of files) assert.ok(textOf(session).includes(file.filename), textOf(session));
  });

  test("two workers in parallel, one of which needs a tool of the caller", async () => {
    const session = await open(client, agentId);
    const text = "Use find-owls and find-bats.";
    const paused = await session.trigger(say(text));
    assert.deepEqual(
      cardsOf(session).map(({ status }) => status),
      ["done", "running"],
    );
    const { toolCalls, toolResults } = answers(paused, { result: "In the attic" });
    const bats = cardsOf(session)[1];
    assert.deepEqual(
      toolCalls.map(({ toolName, workerId }) => [toolName, workerId]),
      [["get-order", bats?.workerId]],
    );
    await session.trigger({ ...say(text), toolResults });
    assert.deepEqual(
      cardsOf(session).map(({ workerSlug, status }) => [workerSlug, status]),
      [
        ["find-owls", "done"],
        ["find-bats", "done"],
      ],
    );
    assert.match(String(cardsOf(session)[1]?.output), /look-up returned: In the attic/);
    for (const { parts } of cardsOf(session)) assert.ok(parts.some(({ type }) => type === "reasoning"));
  });

  test("a worker that a block runs, and one that fails", async () => {
    const session = await open(client, agentId);
    await session.trigger({ triggerName: "delegate", input: { TEXT: "barn owls" } });
    const [owls] = cardsOf(session);
    assert.match(String(owls?.output), /You said: Say barn owls$/);
    assert.ok(textOf(session).includes(String(owls?.output)));
    await session.trigger(say("Use find-newts."));
    const [newts] = cardsOf(session);
    assert.deepEqual([newts?.status, typeof newts?.error], ["error", "string"]);
    assert.match(textOf(session), /The tool find-newts failed/);
  });

  test("a conversation of which the model reads a summary", async () => {
    const session = await open(client, agentId);
    for (let count = 0; count < 7; count++)
      await session.trigger(say(`Day ${count}: ${"it rains ".repeat(60)}`));
    const { entries } = await client.json(200, "GET", `/api/agent-sessions/${session.id}/logs`);
    assert.ok(Array.isArray(entries));
    const compaction = entries.map(record).find(({ type }) => type === "compaction");
    assert.match(String(compaction?.summary), /A summary of \d+ messages\. The user said: “Day 0/);
    assert.equal(session.fold.messages().length, 14);
  });
});

test("a turn whose workers are cancelled while they write shows the same to a client of the events as to one that reads", async (t) => {
  const { client } = await startTestServer(t, { DEMO_WORD_DELAY_MS: "20" });
  const session = await open(client, await createAgents(client));
  const path = `/api/agent-sessions/${session.id}`;
  const response = await client.request(
    "POST",
    `${path}/trigger`,
    say(`Use find-owls: ${"hoot ".repeat(300)}`),
  );
  const reader = new StreamReader(response);
  await reader.readUntil('"worker-start"');
  await client.json(200, "POST", `${path}/cancel`, {});
  await session.take(await reader.rest());
  assert.deepEqual(
    cardsOf(session).map(({ status }) => status),
    ["cancelled"],
  );
  await session.trigger(say("And now?"));
  assert.match(textOf(session), /You said: And now\?/);
});
