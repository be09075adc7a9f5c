import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { readExample } from "@muster/local/testing/example";
import { namedByEcho, sampleFiles, uploadFiles } from "@muster/local/testing/upload";
import { until, untilServed } from "@muster/testing";
import { afterAll, beforeAll, describe, test } from "vitest";
import {
  answerTo,
  readAllTheTime,
  record,
  say,
  startReply,
  TestClient,
  textOf,
  triggerPath,
} from "./support/replies.ts";
import { startTopology, type Topology } from "./support/topology.ts";

/** A reply then takes 10 s: much longer than a trigger waits for the previous one, also on a busy machine. */
const wordDelayMs = 100;
const leaseMs = 15_000;
/** How long a gateway looks for another process that continues a turn. */
const searchMs = 30_000;

let topology: Topology;
/** Clients of the gateways that know one sessions process each, and of the one that knows both. */
let first: TestClient;
let second: TestClient;
let both: TestClient;
let agentId: string;

beforeAll(async () => {
  topology = await startTopology({ DEMO_WORD_DELAY_MS: String(wordDelayMs) });
  const { toFirst, toSecond, toBoth } = topology.gateways;
  first = new TestClient(toFirst.address, topology.adminKey);
  second = new TestClient(toSecond.address, topology.adminKey);
  both = new TestClient(toBoth.address, topology.adminKey);
  const example = await readExample("support-chat");
  agentId = await both.field("agentId", 201, "POST", "/api/agents", example);
});

afterAll(() => topology?.destroy());

const openSession = (client = both) =>
  client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });

// The suites run in sequence, because each ends processes.
describe("several gateways and sessions processes", () => {
  test.concurrent("a session opened through one gateway works through all of them and is the same everywhere", async () => {
    const sessionId = await openSession(first);
    for (const client of [first, second, both]) {
      const events = await client.trigger(sessionId, say("Hello there"));
      assert.match(textOf(events), /Hello there/);
      assert.equal(events.at(-1)?.finishReason, "stop");
    }
    const read = (client: TestClient) => client.json(200, "GET", `/api/agent-sessions/${sessionId}`);
    const session = await read(first);
    assert.equal(Array.isArray(session.messages) && session.messages.length, 6);
    assert.deepEqual([await read(second), await read(both)], [session, session]);
  });

  test.concurrent("files that were uploaded through one gateway reach the model on the other sessions process, and are the same everywhere", async () => {
    const definition = await readExample("document-reader");
    const reader = await both.field("agentId", 201, "POST", "/api/agents", definition);
    const body = { agentId: reader };
    const sessionId = await first.field("sessionId", 201, "POST", "/api/agent-sessions", body);
    const files = await uploadFiles(first, sessionId, sampleFiles);
    const input = { QUESTION: "What is this?", DOCUMENTS: files };
    const events = await second.trigger(sessionId, { triggerName: "user-message", input });
    for (const file of files) assert.ok(textOf(events).includes(namedByEcho(file)), textOf(events));
    for (const client of [first, second, both]) {
      const { messages } = await client.json(200, "GET", `/api/agent-sessions/${sessionId}?format=ui`);
      assert.ok(Array.isArray(messages));
      const parts = Array.from(messages[0].parts, record).filter(({ type }) => type === "file");
      assert.deepEqual(
        parts,
        files.map((file) => ({ type: "file", ...file })),
      );
      const { address } = topology.gateways.toSecond;
      for (const [index, { url }] of files.entries()) {
        const { pathname, search } = new URL(url);
        const response = await fetch(address + pathname + search);
        assert.deepEqual(Buffer.from(await response.arrayBuffer()), sampleFiles[index]?.content);
      }
    }
  });

  test.concurrent("a recorded run becomes a video, which every gateway serves", async () => {
    const body = { name: "Lou", prebuilt: "log-analyst" };
    const hired = await both.json(201, "POST", "/api/admin/workforce/agents", body);
    const lou = new TestClient(topology.gateways.toFirst.address, String(hired.key));
    const threads = `/api/v1/workforce/agents/${String(hired.agentId)}/threads`;
    const task = { message: "Why did the build fail?", config: { record: true, recordVisibility: "public" } };
    const threadId = await lou.field("threadId", 201, "POST", threads, task);
    const recording = async () => record((await lou.json(200, "GET", `${threads}/${threadId}`)).recording);
    await until("it is ready", async () => (await recording()).status === "ready", 150_000);
    const { pathname } = new URL(String((await recording()).url));
    for (const { address } of [topology.gateways.toSecond, topology.gateways.toBoth]) {
      const response = await fetch(address + pathname);
      assert.deepEqual([response.status, response.headers.get("content-type")], [200, "video/webm"]);
      assert.ok((await response.arrayBuffer()).byteLength > 1_000);
    }
  });

  test.concurrent("a turn that one process paused for a tool continues once in the other", async () => {
    const sessionId = await openSession();
    const paused = await first.trigger(sessionId, say("Please use get-order for 1042"));
    assert.equal(paused.at(-1)?.finishReason, "tool-calls");
    const answer = answerTo(paused, { status: "on its way" });
    const continued = await second.trigger(sessionId, answer);
    assert.equal(continued[0]?.messageId, paused[0]?.messageId);
    assert.match(textOf(continued), /on its way/);
    assert.equal(continued.at(-1)?.finishReason, "stop");
    const again = await first.json(400, "POST", triggerPath(sessionId), answer);
    assert.equal(again.code, "UNKNOWN_TOOL_CALL");
  });

  test.concurrent("a session runs one execution at a time, and another process waits for two seconds before it returns SESSION_BUSY", async () => {
    const sessionId = await openSession();
    const reply = await startReply(first, sessionId, 100);
    const askedAtMs = performance.now();
    const refused = await untilServed(() => second.request("POST", triggerPath(sessionId), say("Me too")));
    const waitedMs = performance.now() - askedAtMs;
    assert.equal(refused.status, 429);
    assert.match(await refused.text(), /SESSION_BUSY/);
    assert.ok(Number(refused.headers.get("retry-after")) >= 1);
    assert.ok(waitedMs > 1_500, `${waitedMs} ms`);
    assert.equal((await reply.rest()).at(-1)?.finishReason, "stop");
  });

  test.concurrent("a key deleted through one gateway stops working at the others before their caches expire", async () => {
    const made = await first.json(201, "POST", "/api/admin/keys", {
      name: "short",
      permissions: ["sessions"],
    });
    const holders = [topology.gateways.toFirst, topology.gateways.toSecond].map(
      ({ address }) => new TestClient(address, String(made.key)),
    );
    const path = `/api/agent-sessions/${await openSession()}`;
    // This makes both gateways cache the key for five seconds, unless an event revokes it.
    for (const holder of holders) await holder.json(200, "GET", path);
    const deleted = await first.request("DELETE", `/api/admin/keys/${made.id}`);
    assert.ok(deleted.ok, await deleted.text());
    const deletedAtMs = performance.now();
    for (const holder of holders) {
      for (let sentAtMs = performance.now(); ; sentAtMs = performance.now()) {
        if ((await holder.request("GET", path)).status === 401) break;
        // Later, the caches have expired.
        assert.ok(sentAtMs - deletedAtMs < 3_500, `still works after ${sentAtMs - deletedAtMs} ms`);
        await delay(10);
      }
    }
  });

  test.concurrent("a DELETE through one gateway immediately ends the stream of another", async () => {
    const sessionId = await openSession();
    const reply = await startReply(first, sessionId, 100);
    const askedAtMs = performance.now();
    await second.json(200, "DELETE", `/api/agent-sessions/${sessionId}`);
    const deletedAtMs = performance.now();
    const last = (await reply.rest()).at(-1);
    const elapsedMs = performance.now() - deletedAtMs;
    assert.deepEqual([last?.type, last?.code], ["error", "SESSION_EXPIRED"]);
    // Without the event, the holder would notice when it renews its lease. The event passes through as many processes as
    // the request.
    assert.ok(elapsedMs < 2_000 + (deletedAtMs - askedAtMs), `${elapsedMs} ms`);
  });
});

describe("processes that freeze", () => {
  test("a frozen sessions process fails no read, and its stream continues when it thaws", async () => {
    const frozen = topology.sessions[0].process;
    const sessionId = await openSession();
    const reply = await startReply(first, await openSession(first), 100);
    const reads = readAllTheTime(both, sessionId);
    await enough(reads.statuses, 20);
    frozen.kill("SIGSTOP");
    try {
      // Each of the four readers soon reaches the frozen process, so these include calls that were repeated elsewhere.
      const goal = reads.statuses.length + 100;
      await until("the reads avoid the frozen process", () => reads.statuses.length >= goal, 60_000);
    } finally {
      frozen.kill("SIGCONT");
      await reads.stop();
    }
    assert.deepEqual([...new Set(reads.statuses)], ["200"]);
    const events = await reply.rest();
    assert.deepEqual([events.at(-1)?.finishReason, textOf(events).match(/word/g)?.length], ["stop", 100]);
    const isBack = async () =>
      (await first.request("GET", `/api/agent-sessions/${sessionId}`)).status === 200;
    await until("the thawed process serves again", isBack, 60_000);
  });

  test("a frozen store makes the gateways unready without ending them", async () => {
    const readyz = async () => {
      const response = await both.request("GET", "/readyz");
      const { dependencies } = record(await response.json());
      return { status: response.status, store: record(dependencies)["sessions.store"] };
    };
    topology.store.process.kill("SIGSTOP");
    try {
      await until("readiness blames the store", async () => (await readyz()).store === "unreachable", 60_000);
      assert.equal((await readyz()).status, 503);
      assert.equal((await both.request("GET", "/healthz")).status, 200);
    } finally {
      topology.store.process.kill("SIGCONT");
    }
    await until("the gateway is ready again", async () => (await readyz()).status === 200, 60_000);
  });
});

describe("processes that end", () => {
  test.concurrent("kill -9 of a sessions process fails no read, a gateway that knows no other one ends its streams with [DONE], and the session continues", async () => {
    const sessionId = await openSession();
    const reply = await startReply(first, sessionId, 100);
    const reads = readAllTheTime(both, sessionId);
    await enough(reads.statuses, 20);
    topology.sessions[0].process.kill("SIGKILL");
    const killedAtMs = performance.now();
    await enough(reads.statuses, reads.statuses.length + 100);
    await reads.stop();
    assert.deepEqual([...new Set(reads.statuses)], ["200"]);
    const events = await reply.rest();
    const last = events.at(-1);
    assert.deepEqual([last?.type, last?.code, last?.retryable], ["error", "UNAVAILABLE", true]);
    const ofTurn = events.slice(0, -1).filter(({ interrupted }) => interrupted === undefined);
    assert.equal(last?.lastSequence, ofTurn.length);
    const waitedMs = performance.now() - killedAtMs;
    assert.ok(waitedMs >= searchMs && waitedMs < 2 * searchMs, `${waitedMs} ms`);

    const response = await takeOver(both, sessionId, killedAtMs);
    assert.match(await response.text(), /"finishReason":"stop".*\n\ndata: \[DONE\]/);
    // The next turn need not wait.
    assert.equal((await both.trigger(sessionId, say("And again"))).at(-1)?.finishReason, "stop");
  });

  test.concurrent("a gateway that receives SIGTERM waits for its stream to end, accepts no new requests and exits with 0", async () => {
    const { toSecond } = topology.gateways;
    const sessionId = await openSession();
    const reply = await startReply(second, sessionId, 30);
    toSecond.process.kill("SIGTERM");
    await toSecond.process.printed(/"stopping"/);
    const refused = await second.request("GET", "/readyz").then(
      (response) => response.status,
      () => "no connection",
    );
    assert.ok(refused === 503 || refused === "no connection", String(refused));
    const events = await reply.rest();
    assert.deepEqual([events.at(-1)?.finishReason, textOf(events).match(/word/g)?.length], ["stop", 30]);
    assert.equal(await toSecond.process.ended(), 0);
  });
});

test("SIGTERM makes the embedded store exit with 0", async () => {
  const { process } = topology.store;
  process.kill("SIGTERM");
  assert.equal(await process.ended(), 0, process.output);
});

/** Resolves once the list has at least this length. */
async function enough(list: readonly unknown[], length: number): Promise<void> {
  await until(`${length} answers arrive`, () => list.length >= length);
}

/** The session is busy until the dead process's lease has expired. */
async function takeOver(client: TestClient, sessionId: string, killedAtMs: number): Promise<Response> {
  for (;;) {
    const response = await client.request("POST", triggerPath(sessionId), say("Still there?"));
    if (response.status === 200) return response;
    assert.match(await response.text(), /SESSION_BUSY/);
    assert.ok(performance.now() - killedAtMs < 3 * leaseMs, "the lease outlives its holder for too long");
  }
}
