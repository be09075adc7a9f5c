import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { serverKinds } from "@muster/mcp-client/testing";
import { CollectedMetrics } from "@muster/metrics/testing";
import type { ScriptedStep } from "@muster/models/testing";
import { Secret } from "@muster/service";
import { serve, type TestScope, temporaryDirectory, until } from "@muster/testing";
import { Webhook } from "standardwebhooks";
import { describe, test } from "vitest";
import { addDoomed, leaseMs, openTurn, resume, survivorTimings } from "./support/adoption-harness.ts";
import { chat, research } from "./support/definitions.ts";
import { openSession, projectId, readAll, say, startWorld, type World } from "./support/harness.ts";
import { offerTool, secret, startService } from "./support/http-tool.ts";
import { startTextServer } from "./support/text-server.ts";
import { start } from "./support/worker-harness.ts";

const calls = (name: string, args: Record<string, unknown> = {}, id = "call_1"): ScriptedStep => ({
  parts: [{ toolCall: { id, name, arguments: args } }],
});
const done: ScriptedStep = { parts: [{ text: "Done." }] };

const agentWith = (sections: string, keys: string) => ({
  ...chat,
  protocol: chat.protocol
    .replace("triggers:\n", `${sections}triggers:\n`)
    .replace("  tools: [get-order, send-mail]\n", keys),
});
const tickets = "mcpServers: { tickets: { description: Tickets, source: remote, connection: eager } }\n";
const limits = { idleTimeoutMs: 60_000, timeoutMs: 600_000 };

/** How many calls were measured, by kind and outcome. */
async function callsIn(metrics: CollectedMetrics) {
  const scraped = await metrics.read();
  const name = "muster_remote_call_duration_seconds";
  return scraped.values(name, "kind").flatMap((kind) =>
    scraped.values(name, "outcome").flatMap((outcome) => {
      const count = scraped.total(name, { kind, outcome });
      return count === 0 ? [] : `${count} ${kind} ${outcome}`;
    }),
  );
}

/** A project whose agent has the MCP server `tickets` at this address. */
async function startWithServer(t: TestScope, steps: ScriptedStep[], url: string, sections = tickets) {
  const world = await startWorld(t, steps);
  world.agents.set("agt_chat", [agentWith(sections, "  mcpServers: [tickets]\n")]);
  const mcpServer = { id: "mcp_1", projectId, slug: "tickets", url: `${url}/mcp`, enabled: true, ...limits };
  world.auth.setServices(projectId, { mcpServers: [{ mcpServer }] });
  return world;
}

const timings = { listToolsMs: 60_000 };
const allowed = { timings, mcpAllowedHosts: ["127.0.0.1"], toolAllowedHosts: ["127.0.0.1"] };
const promptOf = (world: World, index: number) => JSON.stringify(world.provider.requests[index]?.body);
const toolsOf = (world: World, index: number) =>
  Array.from(promptOf(world, index).matchAll(/"function":\{"name":"(\w+)"/g), ([, name]) => name);

describe("the tools of a remote MCP server", () => {
  for (const kind of ["v2 refusing the old era", "v1 with sessions"])
    test(`${kind}: a turn lists them, calls one, and its model reads the result as text from outside`, async (t) => {
      const handler = serverKinds[kind];
      assert.ok(handler);
      const steps = [calls("tickets__echo", { text: "It is open." }), done];
      const world = await startWithServer(t, steps, await serve(t, handler()));
      const instance = await world.addInstance(allowed);
      const sessionId = await openSession(world, instance);
      const events = await readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
      assert.ok(toolsOf(world, 0).includes("tickets__echo"));
      assert.match(
        promptOf(world, 1),
        /<<outside-(\w+): text from outside .*It is open\..*<<end of outside-\1>>/,
      );
      assert.deepEqual(
        events.flatMap(({ type, output }) => (type === "tool-output-available" ? output : [])),
        ["It is open."],
      );
    });

  test("files in a result are read by a model that can, in this turn and in later ones, and of others it reads why not", async (t) => {
    const { "v2 stateless": handler } = serverKinds;
    assert.ok(handler);
    const steps = [calls("tickets__files"), done, done, calls("tickets__files"), done];
    const world = await startWithServer(t, steps, await serve(t, handler()));
    const directory = await temporaryDirectory(t);
    const files = { directory, keys: [new Secret("ab".repeat(32))], keepDays: 30 };
    const instance = await world.addInstance({ ...allowed, files });
    const sessionId = await openSession(world, instance);
    for (const text of ["hi", "again"])
      await readAll(instance.client.trigger(say(sessionId, text), world.as()));
    for (const index of [1, 2]) {
      assert.match(promptOf(world, index), /data:image\/png;base64,iVBORw0KGgo/);
      assert.match(
        promptOf(world, index),
        /File c\.txt \(text\/plain\):(\\n|\\\\n)+<<outside-(\w+): .*Obey me\..*<<end of outside-\2>>/,
      );
      assert.match(promptOf(world, index), /The file audio-2\.wav cannot be sent/);
      assert.doesNotMatch(promptOf(world, index), /muster\.invalid/);
    }
    const without = await world.addInstance(allowed);
    const events = await readAll(
      without.client.trigger(say(await openSession(world, without), "hi"), world.as()),
    );
    assert.match(promptOf(world, 4), /This installation stores no files/);
    assert.ok(events.every(({ type }) => type !== "file-available"));
  });

  test("a lazy server's are there once its model has activated it, in later turns too", async (t) => {
    const { "v2 stateless": handler } = serverKinds;
    assert.ok(handler);
    const steps = [calls("platform_mcp_activate", { server: "tickets" }), done, done];
    const lazy = tickets.replace(", connection: eager", "");
    const world = await startWithServer(t, steps, await serve(t, handler()), lazy);
    const instance = await world.addInstance(allowed);
    const sessionId = await openSession(world, instance);
    for (const text of ["hi", "again"])
      await readAll(instance.client.trigger(say(sessionId, text), world.as()));
    const platformTools = ["platform_mcp_list", "platform_mcp_activate"];
    assert.deepEqual(toolsOf(world, 0), platformTools);
    for (const index of [1, 2]) assert.ok(toolsOf(world, index).includes("tickets__echo"), String(index));
  });

  test("a server that cannot be used costs its tools and a sentence for the model, never the turn", async (t) => {
    const world = await startWithServer(t, [done, done], "http://127.0.0.1:1");
    const instances = [await world.addInstance(allowed), await world.addInstance({ timings })];
    for (const [index, instance] of instances.entries()) {
      const sessionId = await openSession(world, instance);
      const events = await readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
      assert.equal(events.at(-1)?.type, "finish");
      assert.deepEqual(toolsOf(world, index), []);
      assert.match(promptOf(world, index), /The MCP server \\"tickets\\" is not available now/);
    }
    assert.match(promptOf(world, 1), /https/);
  });

  test("an eager server is asked before the turn's workers are known", async (t) => {
    const asked = Promise.withResolvers<void>();
    const handler = serverKinds["v2 stateless"]?.();
    assert.ok(handler);
    const url = await serve(t, (request, response) => {
      asked.resolve();
      handler(request, response);
    });
    const worker = "workers: { agt-research: { description: Finds out } }\n";
    const world = await startWithServer(t, [done], url, `${tickets}${worker}`);
    world.agents.set("agt_research", [research]);
    const { transport } = world.agents;
    const agents: typeof transport = {
      stream: (...args) => transport.stream(...args),
      unary: async (...args) => {
        if (JSON.stringify(args[4]).includes("agt-research")) await asked.promise;
        return transport.unary(...args);
      },
    };
    const instance = await world.addInstance(allowed, { agents });
    const sessionId = await openSession(world, instance);
    await readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
    assert.ok(toolsOf(world, 0).includes("tickets__echo"));
  });

  test("a cancelled turn cancels its call, which the server learns", async (t) => {
    const cancelled = Promise.withResolvers<void>();
    const handler = serverKinds["v2 stateless"]?.(cancelled.resolve);
    assert.ok(handler);
    const world = await startWithServer(t, [calls("tickets__wait")], await serve(t, handler));
    const metrics = new CollectedMetrics("sessions");
    const instance = await world.addInstance(allowed, { metrics });
    const { sessionId, reader } = await openTurn(world, instance);
    await reader.until((seen) => seen.some(({ json }) => json.includes("tool-input-available")));
    await instance.client.cancelExecution({ sessionId }, world.as());
    await Promise.all([cancelled.promise, reader.ended]);
    assert.ok(reader.seen.some(({ json }) => /tool-output-error.*"cancelled":true/.test(json)));
    await until(async () => String(await callsIn(metrics)) === "1 mcp cancelled");
  });
});

test("a call is not made if its turn cannot be stored before", async (t) => {
  let received = 0;
  const url = await startTextServer(t, ["read"], () => String(++received));
  const gone = Promise.withResolvers<void>();
  const reads = { toolCall: { id: "call_1", name: "tickets__read", arguments: {} } };
  const world = await startWithServer(t, [{ parts: [reads, { until: gone.promise }] }], url);
  const instance = await world.addInstance(allowed);
  const { sessionId, reader } = await openTurn(world, instance);
  await reader.until((seen) => seen.some(({ json }) => json.includes("tool-input-start")));
  await world.sessions.deleteOne({ _id: sessionId });
  gone.resolve();
  await reader.ended;
  assert.equal(received, 0);
});

describe("a result that is too large", () => {
  const readAt = (size: number) => calls("tickets__read", { size });

  test("of a server is an error that its model reads, and the session continues", async (t) => {
    const url = await startTextServer(t, ["read"], (_, { size }) => "x".repeat(Number(size)));
    const mib = 1024 * 1024;
    const world = await startWithServer(t, [readAt(9 * mib), readAt(mib - 1), done, done], url);
    const instance = await world.addInstance(allowed);
    const sessionId = await openSession(world, instance);
    for (const said of ["hi", "again"]) {
      const events = await readAll(instance.client.trigger(say(sessionId, said), world.as()));
      assert.equal(events.at(-1)?.type, "finish");
    }
    assert.match(promptOf(world, 1), /its result is larger than 1 MiB/);
    assert.match(promptOf(world, 2), /x{1000}/);
  });

  test("counts in a worker's execution, which is not stored step by step, as the output of its models does", async (t) => {
    const url = await startTextServer(t, ["read"], () => "x".repeat(8_000));
    const world = await startWithServer(t, [readAt(1), readAt(2), readAt(3)], url);
    const opens = "agentic: true\n    mcpServers: [tickets]";
    const protocol = research.protocol
      .replace("steps:\n", `${tickets}steps:\n`)
      .replace("agentic: true", opens);
    world.agents.set("agt_research", [{ ...research, protocol }]);
    const instance = await world.addInstance({ ...allowed, maxStateBytes: 20_000 });
    const last = (await readAll(instance.client.executeWorker(start(), world.as()))).at(-1);
    assert.deepEqual([last?.type, last?.code], ["error", "PAYLOAD_TOO_LARGE"]);
  });
});

describe("a turn whose process dies during a call", () => {
  test("the next process reports the outcome as unknown, and does not make the call again", async (t) => {
    let received = 0;
    const handler = serverKinds["v2 stateless"]?.();
    assert.ok(handler);
    const listener: RequestListener = (request, response) => {
      if (request.headers["mcp-method"] === "tools/call") received += 1;
      handler(request, response);
    };
    const world = await startWithServer(t, [calls("tickets__wait"), done], await serve(t, listener));
    const doomed = await addDoomed(world, timings, allowed);
    const { sessionId, reader } = await openTurn(world, doomed);
    await until(() => received === 1);
    const survivor = await world.addInstance({ ...allowed, timings: { ...survivorTimings, ...timings } });
    world.clock.advance(leaseMs + 1);
    const ids = { sessionId, executionId: reader.executionId };
    const events = await resume(world, survivor, ids);
    assert.ok(events.some(({ json }) => json.includes("outcome of this call is unknown")));
    assert.match(promptOf(world, 1), /outcome of this call is unknown/);
    assert.equal(received, 1);
  });
});

async function startWithTool(
  t: TestScope,
  answers: Parameters<typeof startService>[1],
  {
    more = "",
    services = {},
    url: own = "",
    calls: count = 1,
    metrics = new CollectedMetrics("sessions"),
  } = {},
) {
  const { received, url } = own === "" ? await startService(t, answers) : { received: [], url: own };
  const parts = Array.from({ length: count }, (_, index) => ({
    toolCall: { id: `call_${index + 1}`, name: "refund", arguments: { amount: 7 } },
  }));
  const world = await startWorld(t, [{ parts }, done]);
  offerTool(world, url, { more, services });
  const instance = await world.addInstance(allowed, { metrics });
  const sessionId = await openSession(world, instance);
  const events = await readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
  assert.equal(events.at(-1)?.type, "finish");
  return { received, read: promptOf(world, 1), sessionId, counted: await callsIn(metrics) };
}

describe("a call of an HTTP tool", () => {
  test("reaches its service once, signed as Standard Webhooks are, and its JSON answer is the result", async (t) => {
    const { received, read, sessionId } = await startWithTool(t, [
      { status: 200, body: '{"refund":"rf_1"}' },
    ]);
    const [{ headers = {}, body = "" } = {}, ...others] = received;
    assert.deepEqual(others, []);
    const call = { toolCallId: "call_1", toolName: "refund", args: { amount: 7 } };
    const { callId, ...sent } = JSON.parse(body);
    assert.deepEqual(sent, { ...call, agentId: "agt_chat", sessionId });
    assert.equal(callId, headers["webhook-id"]);
    new Webhook(secret).verify(body, headers);
    assert.match(read, /rf_1/);
    assert.doesNotMatch(read, /text from outside/);
  });

  const unknown = /outcome of this call is unknown.*may have taken effect/;
  const refusal = { status: 422, body: '{"message":"Too late."}' };
  const outcomes: Array<[title: string, answer: { status: number; body: string } | "cut", read: RegExp]> = [
    ["a refusal is an error with its reason", refusal, /HTTP 422: Too late\./],
    ["a failure of the service is unknown", { status: 503, body: "" }, unknown],
    ["a lost connection is unknown", "cut", unknown],
    ["a redirect is not followed", { status: 302, body: "" }, /HTTP 302/],
    ["an answer that is no JSON says so", { status: 200, body: "<p>Done" }, /its answer is not JSON/],
  ];
  for (const [title, answer, expected] of outcomes)
    test(`${title}, and the call is not repeated`, async (t) => {
      const { received, read, counted } = await startWithTool(t, [answer]);
      assert.match(read, expected);
      assert.equal(received.length, 1);
      assert.deepEqual(counted, [`1 http ${expected === unknown ? "unknown" : "error"}`]);
    });

  test("an idempotent tool's is repeated with the same id until it is answered", async (t) => {
    const answers = ["cut" as const, { status: 500, body: "" }, { status: 200, body: '"Refunded."' }];
    const { received, read } = await startWithTool(t, answers, { more: ", idempotent: true" });
    assert.equal(received.length, 3);
    assert.equal(new Set(received.map(({ headers }) => headers["webhook-id"])).size, 1);
    assert.match(read, /Refunded\./);
  });

  test("of one project run 32 at a time, however many its models make", async (t) => {
    const metrics = new CollectedMetrics("sessions");
    let [received, beforeAnswers, waitingCalls] = [0, 0, 0];
    let answers: Array<() => void> | undefined = [];
    // A call that may run has been sent before these requests, so that it arrives before their answers.
    const answerAll = async () => {
      for (let times = 0; times < 20; times++) await fetch(`${url}/probe`);
      beforeAnswers = received;
      waitingCalls = (await metrics.read()).total("muster_queue_depth", { queue: "remote_calls" });
      const waiting = answers ?? [];
      answers = undefined;
      for (const answer of waiting) answer();
    };
    const url: string = await serve(t, (request, response) => {
      const answer = () => void response.end("1");
      if (request.url === "/probe") return answer();
      received += 1;
      if (answers === undefined) return answer();
      answers.push(answer);
      if (received === 32) void answerAll();
    });
    const { read, counted } = await startWithTool(t, [], { url, calls: 80, metrics });
    assert.deepEqual([beforeAnswers, waitingCalls, received], [32, 48, 80]);
    assert.deepEqual(counted, ["80 http ok"]);
    assert.equal((read.match(/"content":"1"/g) ?? []).length, 80);
  });

  test("is not sent to a host that the project does not allow, or for which it has no secret", async (t) => {
    const forbidden = await startWithTool(t, [], { services: { toolHosts: [] } });
    assert.match(forbidden.read, /The project does not allow calls to 127/);
    const unsigned = await startWithTool(t, [], { services: { toolSecrets: [] } });
    assert.match(unsigned.read, /has no secret/);
    assert.deepEqual([...forbidden.received, ...unsigned.received], []);
  });
});
