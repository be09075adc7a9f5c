import assert from "node:assert/strict";
import { record, StreamReader } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import type { BadRequest, Names } from "../support/bad-input/bad-request.ts";
import { executionRequests } from "../support/bad-input/execution-requests.ts";
import { restoreRequests } from "../support/bad-input/restore-requests.ts";
import { sessionRequests } from "../support/bad-input/session-requests.ts";
import { turnRequests } from "../support/bad-input/turn-requests.ts";
import { readExample } from "../support/example.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

/** Every refusal leaves these unchanged. */
const sessionPaths = ({ idle, paused, expired }: Names) =>
  [idle, paused, expired].flatMap((id) => [
    `/api/agent-sessions/${id}`,
    `/api/agent-sessions/${id}?format=ui`,
    `/api/agent-sessions/${id}/logs`,
  ]);

const badRequests = (names: Names): BadRequest[] => [
  ...sessionRequests(names),
  ...restoreRequests(names),
  ...turnRequests(names),
  ...executionRequests(names),
];

const say = (text: string) => ({ triggerName: "user-message", input: { USER_MESSAGE: text } });

describe("bad input on the routes of sessions", () => {
  const scope = suiteScope();
  let server: TestServer;
  let names: Names;
  let keys: Record<NonNullable<BadRequest["key"]>, string | undefined>;
  let state: string[];

  const post = (path: string, body: unknown) => server.client.json(201, "POST", path, body);
  const open = async () =>
    String((await post("/api/agent-sessions", { agentSlug: "support-chat" })).sessionId);

  beforeAll(async () => {
    server = await startTestServer(scope, { DEMO_WORD_DELAY_MS: "1" });
    const { client } = server;
    const agentId = String((await post("/api/agents", await readExample("support-chat"))).agentId);
    const workerId = String((await post("/api/agents", await readExample("research-worker"))).agentId);
    const example = await readExample("support-chat");
    const archived = { ...example, settings: { ...record(example.settings), slug: "archived" } };
    const archivedId = String((await post("/api/agents", archived)).agentId);
    await client.json(200, "DELETE", `/api/agents/${archivedId}`);
    const [idle, paused, other, expired] = [await open(), await open(), await open(), await open()];
    const idleTurn = await client.trigger(idle, say("Hello"));
    const pausedTurn = await client.trigger(paused, say("Please use get-order for 1042"));
    // Calls are numbered in each session; its second one has an id that the paused session lacks.
    await client.trigger(other, say("Please use get-order for 7"));
    const otherTurn = await client.trigger(other, say("Please use get-order for 8"));
    await client.json(200, "DELETE", `/api/agent-sessions/${expired}`);
    names = {
      ...{ agentId, workerId, archivedId, idle, paused, expired },
      idleExecution: text(idleTurn[0]?.executionId),
      pausedExecution: text(pausedTurn[0]?.executionId),
      call: callOf(pausedTurn),
      otherExecution: text(otherTurn[0]?.executionId),
      otherMessage: text(otherTurn[0]?.messageId),
      otherCall: callOf(otherTurn),
    };
    const { id: projectId } = await post("/api/admin/projects", { name: "Other" });
    const keyOf = async (fields: object) =>
      String((await post("/api/admin/keys", { name: "k", ...fields })).key);
    keys = {
      none: undefined,
      "other-project": await keyOf({ permissions: ["sessions"], projectId }),
      "no-permission": await keyOf({ permissions: ["mint-tokens"] }),
    };
    state = await readState();
  });

  /** The view of every session, and the list of sessions. */
  async function readState(): Promise<string[]> {
    const paths = [...sessionPaths(names), "/api/agent-sessions"];
    return Promise.all(paths.map(async (path) => (await server.client.request("GET", path)).text()));
  }

  async function send({ method, path, body, raw, headers, key }: BadRequest): Promise<Response> {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const credential = key === undefined ? server.key : keys[key];
    return fetch(server.url + path, {
      method,
      headers: {
        ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
        ...(payload !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(payload !== undefined && { body: payload }),
    });
  }

  test("every refusal has its status, its code, a reason and an id, and leaves the sessions unchanged", async () => {
    const problems: string[] = [];
    for (const row of badRequests(names)) {
      const response = await send(row);
      const body = await response.text();
      const problem = problemOf(row, response, body);
      if (problem !== undefined) problems.push(`${row.title}: ${problem}`);
    }
    assert.deepEqual(problems, []);
    assert.deepEqual(await readState(), state);
  });

  test("a turn that waits for results continues once, however many wrong results were sent before", async () => {
    const { paused, pausedExecution, call } = names;
    const path = `/api/agent-sessions/${paused}/trigger`;
    const body = {
      executionId: pausedExecution,
      toolResults: [{ toolCallId: call, result: { status: "sent" } }],
    };
    const events = await server.client.trigger(paused, body);
    assert.equal(events.at(-1)?.finishReason, "stop");
    const shown = await readState();
    const refused = await server.client.json(400, "POST", path, body);
    assert.equal(refused.code, "UNKNOWN_TOOL_CALL");
    assert.deepEqual(await readState(), shown);
  });

  test("a turn that waits for results does not run, so cancelling it changes nothing", async () => {
    const sessionId = await open();
    const events = await server.client.trigger(sessionId, say("Please use get-order for 1042"));
    const { cancelled } = await server.client.json(200, "POST", `/api/agent-sessions/${sessionId}/cancel`);
    assert.equal(cancelled, false);
    const results = resultsFor(events);
    assert.equal((await server.client.trigger(sessionId, results)).at(-1)?.finishReason, "stop");
  });

  test("results that arrive after their turn was cancelled are refused, and the session continues", async () => {
    const sessionId = await open();
    const path = `/api/agent-sessions/${sessionId}`;
    const asked = await server.client.trigger(sessionId, say("Please use get-order for 1042"));
    const results = resultsFor(asked, "word ".repeat(2_000));
    const reader = new StreamReader(await server.client.request("POST", `${path}/trigger`, results));
    await reader.readUntil('"text-delta"');
    await server.client.json(200, "POST", `${path}/cancel`);
    assert.equal((await reader.rest()).at(-1)?.finishReason, "other");
    const refused = await server.client.json(400, "POST", `${path}/trigger`, results);
    assert.equal(refused.code, "UNKNOWN_TOOL_CALL");
    assert.equal((await server.client.trigger(sessionId, say("Hello"))).at(-1)?.finishReason, "stop");
  });
});

type Events = Awaited<ReturnType<TestServer["client"]["trigger"]>>;

function resultsFor(events: Events, result: unknown = 1) {
  return { executionId: events[0]?.executionId, toolResults: [{ toolCallId: callOf(events), result }] };
}

function problemOf(row: BadRequest, response: Response, text: string): string | undefined {
  const said = `${response.status} ${text.slice(0, 300)}`;
  if (response.status !== row.status) return `expected ${row.status} ${row.code}, received ${said}`;
  const { error, code, requestId, issues } = record(JSON.parse(text));
  if (code !== row.code) return `expected ${row.code}, received ${said}`;
  if (typeof error !== "string" || !/^[A-Z`"].*[.!]$/s.test(error)) return `no sentence: ${said}`;
  if (requestId !== response.headers.get("x-request-id") || typeof requestId !== "string")
    return `no id: ${said}`;
  if (row.issue === undefined) return undefined;
  const paths = Array.isArray(issues) ? issues.map((issue) => String(record(issue).path)) : [];
  return paths.some((path) => row.issue?.test(path)) ? undefined : `no issue ${row.issue}: ${said}`;
}

function callOf(events: Events): string {
  const request = events.find(({ type }) => type === "tool-request");
  assert.ok(Array.isArray(request?.toolCalls));
  return text(record(request.toolCalls[0]).toolCallId);
}

function text(value: unknown): string {
  assert.ok(typeof value === "string");
  return value;
}
