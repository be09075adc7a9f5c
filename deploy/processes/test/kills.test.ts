import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { Muster, type StreamEvent } from "@muster/client";
import { readExample } from "@muster/local/testing/example";
import { serverKinds } from "@muster/mcp-client/testing";
import { type ScriptedProvider, startScriptedProvider } from "@muster/models/testing";
import { record, serve, TestClient, until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { Cluster, type Instance } from "./support/cluster/cluster.ts";
import {
  duringRemoteCall,
  inMiddleOfText,
  type Point,
  PointScript,
  points,
  whole,
} from "./support/kills/points.ts";
import { comparable, folded, ReadTurn } from "./support/kills/read-turn.ts";

const patience = { MODEL_FIRST_PART_TIMEOUT_MS: "600000", MODEL_STALL_TIMEOUT_MS: "600000" };
const input = { MODEL: "local/scripted" };
const say = (text: string) => ({ triggerName: "user-message", input: { USER_MESSAGE: text } });

/** A turn whose process dies. */
interface Dying {
  message: string;
  deaths: number;
  sessionId: string;
  responses: ReadTurn[];
}

describe("kill -9 of sessions processes in the middle of turns", () => {
  const scope = suiteScope();
  const script = new PointScript();
  let provider: ScriptedProvider;
  let remoteCalls = 0;
  let cluster: Cluster;
  let client: TestClient;
  let agentId: string;
  let first: Instance;

  beforeAll(async () => {
    provider = await startScriptedProvider(scope, { format: "openai", steps: [] });
    provider.answerBy(script.choose);
    const { "v2 stateless": handler } = serverKinds;
    assert.ok(handler);
    const tickets = await serve(
      scope,
      handler(undefined, () => remoteCalls++),
    );
    const addresses = { LOCAL_BASE_URL: provider.baseUrl, MCP_ALLOWED_HOSTS: "127.0.0.1" };
    cluster = await Cluster.start({ ...addresses, ...patience });
    scope.onTestFinished(() => cluster.destroy());
    // All turns are on one process until there is another one.
    [first] = await Promise.all([cluster.add("sessions"), cluster.add("auth"), cluster.add("agents")]);
    const { address } = await cluster.add("gateway");
    client = new TestClient(address, cluster.adminKey);
    await client.json(201, "POST", "/api/admin/mcp-servers", { slug: "tickets", url: `${tickets}/mcp` });
    const example = await readExample("support-chat");
    const protocol = String(example.protocol)
      .replace("  agentic: true\n", "  agentic: true\n  todoList: true\n  mcpServers: [tickets]\n")
      .concat("\nmcpServers:\n  tickets: { description: Tickets, source: remote, connection: eager }\n");
    agentId = await client.field("agentId", 201, "POST", "/api/agents", { ...example, protocol });
  });

  const openSession = () => client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId, input });
  const post = (path: string, body: object) => client.request("POST", `/api/agent-sessions/${path}`, body);

  /** A turn that has reached its point. */
  async function openTurn({ name, steps, reached, deaths = 1 }: Point, more: object = {}): Promise<Dying> {
    const sessionId = await openSession();
    const response = new ReadTurn(post(`${sessionId}/trigger`, { ...say(name), ...more }));
    const turn: Dying = { message: name, deaths, sessionId, responses: [response] };
    const isPaused = steps.length > 1 && name.includes("client");
    if (isPaused) {
      await response.ended;
      const request = response.events.find((event) => event.type === "tool-request");
      const [call] = request?.toolCalls ?? [];
      assert.ok(call);
      const toolResults = [{ ...call, result: { status: "shipped" } }].map(
        ({ toolCallId, toolName, result }) => ({ toolCallId, toolName, result }),
      );
      turn.responses.push(new ReadTurn(post(`${sessionId}/trigger`, { ...say(name), toolResults })));
    }
    await turn.responses.at(-1)?.reached(reached);
    return turn;
  }

  async function openFirstTurn(message: string): Promise<Dying> {
    const response = new ReadTurn(post("start", { agentId, input, trigger: say(message) }));
    await response.reached(inMiddleOfText.reached);
    const [start] = response.events;
    assert.ok(start?.type === "start");
    return { message, deaths: 1, sessionId: String(start.sessionId), responses: [response] };
  }

  async function openAsJson(message: string) {
    const sessionId = await openSession();
    const { url } = client;
    const headers = { authorization: `Bearer ${cluster.adminKey}`, "content-type": "application/json" };
    const body = JSON.stringify({ ...say(message), stream: false });
    const response = fetch(`${url}/api/agent-sessions/${sessionId}/trigger`, {
      method: "POST",
      headers,
      body,
    });
    await until("the model is asked", () => script.asked(message)[0] === 1);
    return { sessionId, response };
  }

  /** A program whose gateway dies, too. Its requests go to another one then, as a load balancer sends them. */
  async function readWithClient(message: string) {
    const doomed = await cluster.add("gateway");
    const asked: string[] = [];
    let { address } = doomed;
    const send: typeof fetch = (request, init) => {
      const { pathname, search } = new URL(String(request));
      asked.push(address);
      return fetch(`${address}${pathname}${search}`, init);
    };
    const muster = new Muster({ baseUrl: address, apiKey: cluster.adminKey, fetch: send });
    const turn = muster.sessions.start({ agentId, input, trigger: say(message) });
    const events: StreamEvent[] = [];
    const ended = (async () => {
      for await (const event of turn) events.push(event);
    })();
    await until("the text has begun", () => events.some(({ type }) => type === "text-delta"));
    return {
      killGateway: async () => {
        ({ url: address } = client);
        await cluster.kill(doomed);
        await until("it is followed through the other one", () => asked.at(-1) === address);
      },
      assertWhole: async () => {
        await ended;
        const { text, sessionId, finishReason } = await turn.result();
        const session = await muster.sessions.open(sessionId ?? "").get({ format: "ui" });
        assert.ok(
          session.status === "active" && JSON.stringify(session.messages).includes(`"text":"${whole}"`),
        );
        assert.deepEqual([text, finishReason], [whole, "stop"]);
        for (const type of ["start", "step-discard", "finish"])
          assert.equal(events.filter((event) => event.type === type).length, 1, type);
      },
    };
  }

  function follow({ sessionId, responses: [response] }: Dying): ReadTurn {
    const [start] = response?.events ?? [];
    assert.ok(start?.type === "start");
    const path = `/api/agent-sessions/${sessionId}/executions/${start.executionId}/events`;
    return new ReadTurn(client.request("GET", path));
  }

  async function assertWhole(turn: Dying): Promise<void> {
    const last = turn.responses.at(-1);
    assert.ok(last);
    await last.ended;
    last.assertNumbered();
    const end = last.events.at(-1);
    assert.equal(end?.type === "finish" && end.finishReason, "stop", JSON.stringify(end));
    const { messages } = await client.json(200, "GET", `/api/agent-sessions/${turn.sessionId}`);
    assert.deepEqual(folded(...turn.responses), comparable(messages));
    assert.ok(JSON.stringify(messages).includes(whole));
    const replayed = follow(turn);
    await replayed.ended;
    last.assertContains(replayed);
  }

  /** No step was made twice but the one in which its process died. */
  function assertAsked({ message, deaths, responses }: Dying, steps: number): void {
    assert.deepEqual(script.asked(message), [...Array(steps - 1).fill(1), deaths + 1]);
    assert.equal(responses.at(-1)?.count("step-discard"), deaths);
  }

  test("every response continues on another process to its end, and adds up to its session's state; no remote call is made twice", async () => {
    const turns = await Promise.all(points.map((point) => openTurn(point)));
    const started = await openFirstTurn("the first turn, in the middle of a text");
    const followed = await openTurn(
      { ...inMiddleOfText, name: "a turn with two readers, in the middle of a text" },
      { onDisconnect: "continue" },
    );
    const follower = follow(followed);
    await follower.reached(inMiddleOfText.reached);
    const calling = await openTurn(duringRemoteCall);
    await until("the server is called", () => remoteCalls === 1);
    const asJson = await openAsJson("as JSON, in the middle of a text");
    const program = await readWithClient("a program with the client, in the middle of a text");
    await program.killGateway();
    const ending = await Promise.all(Array.from({ length: 8 }, (_, index) => openEnding(index)));

    const second = await cluster.add("sessions");
    for (const [index, { release }] of ending.entries()) void delay(index * 4).then(release);
    await delay(16);
    await cluster.kill(first);

    const twice = turns.find(({ deaths }) => deaths === 2);
    await twice?.responses[0]?.reached(inMiddleOfText.reached, 2);
    await cluster.add("sessions");
    await cluster.kill(second);

    for (const turn of [...turns, started, followed, calling]) await assertWhole(turn);
    await program.assertWhole();
    for (const turn of turns) assertAsked(turn, stepsOf(turn.message));
    for (const turn of [started, followed]) assertAsked(turn, 1);
    assert.deepEqual([remoteCalls, script.asked(calling.message)], [1, [1, 1]]);
    const after = provider.requests.map(({ body }) => JSON.stringify(body));
    assert.ok(after.some((body) => body.includes("outcome of this call is unknown")));
    await follower.ended;
    follower.assertNumbered();
    assert.deepEqual(follower.seen.at(-1), followed.responses[0]?.seen.at(-1));
    const json = record(await (await asJson.response).json());
    assert.deepEqual([json.text, json.finishReason], [whole, "stop"]);
    for (const { turn } of ending) await assertWhole(turn);
  });

  /** A turn that ends as soon as it is released. */
  async function openEnding(index: number) {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const message = `a turn that is about to end, ${index}`;
    script.hold(message, promise);
    const turn = await openTurn({ ...inMiddleOfText, name: message, reached: '"type":"text-delta"' });
    return { turn, release };
  }

  test("before the first event, the request is refused, nothing of it is left, and it can be sent again at once", async () => {
    const [only] = cluster.of("sessions");
    assert.ok(only);
    const sessionId = await openSession();
    // It has accepted the connection, but begins nothing from now on.
    only.process.kill("SIGSTOP");
    const refused = post(`${sessionId}/trigger`, say("in the middle of a text"));
    await cluster.kill(only);
    const { status, headers } = await refused;
    assert.equal(status, 503);
    assert.ok(Number(headers.get("retry-after")) >= 1);
    await cluster.add("sessions");
    const { messages } = await client.json(200, "GET", `/api/agent-sessions/${sessionId}`);
    assert.deepEqual(messages, []);
    const again = new ReadTurn(post(`${sessionId}/trigger`, say("sent again")));
    await again.reached(inMiddleOfText.reached);
  });

  test("a turn continues although the connection to its machine stays open and silent", async () => {
    const [lost] = cluster.of("sessions");
    assert.ok(lost);
    const turn = await openTurn({ ...inMiddleOfText, name: "on a lost machine, in the middle of a text" });
    await cluster.add("sessions");
    lost.process.kill("SIGSTOP");
    await assertWhole(turn);
    assertAsked(turn, 1);
    await cluster.kill(lost);
  });
});

function stepsOf(message: string): number {
  return points.find(({ name }) => name === message)?.steps.length ?? 1;
}
