import assert from "node:assert/strict";
import { record, TestClient, until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { startTestServer, type TestServer } from "../support/server.ts";

interface Lou {
  id: string;
  key: string;
  client: TestClient;
  /** `/api/v1/workforce/agents/…` */
  path: string;
  /** Starts a thread and returns the path to it. */
  start(message: string): Promise<string>;
}

/** Its threads end at once, without a run. */
const idle = { limits: { monthlyRuns: 0 } };

const isWorking = ({ status }: Record<string, unknown>) =>
  ["pending", "queued", "running"].includes(String(status));

describe("workforce agents over HTTP", () => {
  const scope = suiteScope();
  let server: TestServer;
  let slow: TestServer;
  beforeAll(async () => {
    server = await startTestServer(scope);
    // A run takes many seconds.
    slow = await startTestServer(scope, { DEMO_WORD_DELAY_MS: "300" });
  });

  async function hire({ client, url }: TestServer, fields: Record<string, unknown> = {}): Promise<Lou> {
    const body = { name: "Lou", prebuilt: "log-analyst", ...fields };
    const { agentId, key } = await client.json(201, "POST", "/api/admin/workforce/agents", body);
    const own = new TestClient(url, String(key));
    const path = `/api/v1/workforce/agents/${String(agentId)}`;
    return {
      ...{ id: String(agentId), key: String(key), client: own, path },
      start: async (message) =>
        `${path}/threads/${await own.field("threadId", 201, "POST", `${path}/threads`, { message })}`,
    };
  }

  /** Polls as docs/api/workforce.md says: with a wait and the tag of the previous response. */
  async function untilFinal({ url, key }: { url: string; key: string }, thread: string) {
    let tag = "";
    for (;;) {
      const headers = { authorization: `Bearer ${key}`, "if-none-match": tag };
      const response = await fetch(`${url}${thread}?wait=25`, { headers });
      if (response.status === 304) continue;
      assert.equal(response.status, 200);
      tag = response.headers.get("etag") ?? "";
      const body = record(await response.json());
      if (!isWorking(body)) return { body, tag };
    }
  }

  test("an agent that has reached a limit is unavailable, its dispatches are blocked threads, and follow-ups 402", async () => {
    const lou = await hire(server, idle);
    const { status, unavailableReason } = await lou.client.json(200, "GET", lou.path);
    assert.deepEqual([status, unavailableReason], ["unavailable", "limit_reached"]);
    const thread = await lou.start("Count");
    const { body } = await untilFinal({ ...server, key: lou.key }, thread);
    assert.equal(body.status, "blocked");
    const refused = await lou.client.json(402, "POST", `${thread}/messages`, { message: "Count" });
    assert.equal(refused.code, "USAGE_LIMIT");
    const managed = `/api/admin/workforce/agents/${lou.id}`;
    const changed = await server.client.json(200, "PATCH", managed, { limits: { monthlyRuns: null } });
    assert.deepEqual([changed.status, changed.unavailableReason], ["idle", null]);
  });

  test("a visibility of a recording that was not requested is ignored, whatever it is", async () => {
    const lou = await hire(server, { ...idle, settings: { recordVisibility: ["unused"] } });
    for (const recordVisibility of ["all", "", 7, null, { a: [] }]) {
      for (const isRecorded of [undefined, false]) {
        const config = { recordVisibility, record: isRecorded };
        const started = await lou.client.json(201, "POST", `${lou.path}/threads`, { message: "Hi", config });
        const { runConfig } = await lou.client.json(200, "GET", `${lou.path}/threads/${started.threadId}`);
        assert.ok(!Object.hasOwn(record(runConfig), "recordVisibility"));
      }
      const wrong = { message: "Hi", config: { recordVisibility, record: true } };
      const { issues } = await lou.client.json(400, "POST", `${lou.path}/threads`, wrong);
      assert.match(JSON.stringify(issues), /"path":"config\.recordVisibility"/);
    }
  });

  test("a message of a thread keeps its id once it runs, and has no sender, as its caller named none; a follow-up leaves the thread's settings unchanged", async () => {
    const lou = await hire(server);
    const task = { message: "Count a b", config: { thinking: "low" } };
    const { threadId } = await lou.client.json(201, "POST", `${lou.path}/threads`, task);
    const first = `${lou.path}/threads/${String(threadId)}`;
    const { messages: early } = await lou.client.json(200, "GET", first);
    const { body: before } = await untilFinal({ ...server, key: lou.key }, first);
    assert.equal(record(before.runConfig).thinking, "low");
    const more = { message: "Count c", config: { thinking: "high" } };
    await lou.client.json(202, "POST", `${first}/messages`, more);
    const { body } = await untilFinal({ ...server, key: lou.key }, first);
    assert.deepEqual(body.runConfig, before.runConfig);
    const messages = Array.isArray(body.messages) ? body.messages.map(record) : [];
    assert.deepEqual(
      messages.map(({ role }) => role),
      ["user", "assistant", "user", "assistant"],
    );
    assert.ok(
      messages.every((message) => !Object.hasOwn(message, "sender")),
      JSON.stringify(messages),
    );
    assert.equal(new Set(messages.map(({ id }) => id)).size, 4);
    assert.equal(Array.isArray(early) && record(early[0]).id, messages[0]?.id);
  });

  test("a thread is dispatched once, polled to its end, and read with every field of the interface", async () => {
    const lou = await hire(server);
    const dispatch = (body: unknown) =>
      fetch(`${server.url}${lou.path}/threads`, {
        method: "POST",
        headers: {
          ...{ authorization: `Bearer ${lou.key}`, "content-type": "application/json" },
          "idempotency-key": "build-77",
        },
        body: JSON.stringify(body),
      });
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => dispatch({ message: "Count a b b" })),
    );
    const statuses = responses.map(({ status }) => status).sort();
    assert.equal(statuses.filter((status) => status === 201).length, 1, statuses.join());
    assert.ok(
      statuses.every((status) => [200, 201, 409].includes(status)),
      statuses.join(),
    );
    const replay = await dispatch({ message: "Count a b b" });
    assert.deepEqual([replay.status, replay.headers.get("idempotent-replayed")], [200, "true"]);
    assert.equal((await dispatch({ message: "Count c" })).status, 409);
    const { threadId } = record(await replay.json());
    const thread = `${lou.path}/threads/${String(threadId)}`;

    const { body, tag } = await untilFinal({ url: server.url, key: lou.key }, thread);
    assert.deepEqual(Object.keys(body).sort(), [
      ...["completedAt", "failureReason", "failureType", "messages", "origin", "provenance", "recording"],
      ...["runConfig", "startedAt", "status", "threadId", "usage", "waitingFor"],
    ]);
    assert.deepEqual([body.status, body.failureType, body.recording], ["completed", null, null]);
    for (const time of [body.startedAt, body.completedAt])
      assert.equal(new Date(String(time)).toISOString(), time);
    const late = await dispatch({ message: "Count a b b" });
    assert.deepEqual([late.status, record(await late.json()).threadId], [200, threadId]);
    const { costUsd, totalTokens } = record(body.usage);
    assert.deepEqual([typeof costUsd, Number(totalTokens) > 0], ["number", true]);
    const { platform, definition, computer } = record(body.provenance);
    assert.equal(record((record(platform).deployments as unknown[])[0]).deploymentId, "dev");
    assert.deepEqual(definition, { slug: "log-analyst", version: 1 });
    assert.equal(record(computer).kind, "sandbox");
    const same = await fetch(server.url + thread, {
      headers: { authorization: `Bearer ${lou.key}`, "if-none-match": tag },
    });
    assert.deepEqual([same.status, await same.text()], [304, ""]);

    const stream = await (await lou.client.request("GET", `${thread}/events`)).text();
    const events = [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, json = ""]) => record(JSON.parse(json)));
    const types = events.map(({ type }) => type);
    assert.ok(types.includes("computer-output") && types.includes("text-delta"), types.join());
    assert.deepEqual(events.at(-1), { type: "thread-status", status: "completed" });
    const { threads } = await lou.client.json(200, "GET", `${lou.path}/threads`);
    assert.ok(Array.isArray(threads) && threads.length === 1);
  });

  test("a waiting reader hears of a change at once; work behind the current thread is queued, seen and withdrawn", async () => {
    const lou = await hire(slow);
    const first = await lou.start("First");
    const second = await lou.start("Second");
    const busy = await lou.client.json(200, "GET", lou.path);
    assert.deepEqual([busy.status, busy.queuedThreads], ["busy", 1]);
    assert.ok(first.endsWith(String(busy.currentThreadId)));
    const refused = await lou.client.json(409, "POST", `${lou.path}/threads`, { message: "m", ifIdle: true });
    assert.deepEqual([refused.code, refused.currentThreadId], ["AGENT_BUSY", busy.currentThreadId]);
    const waiting = lou.client.json(200, "GET", `${second}?wait=30`);
    const cancelled = await lou.client.json(200, "POST", `${second}/cancel`, {});
    assert.equal(cancelled.status, "queued");
    assert.equal((await lou.client.json(200, "DELETE", second)).status, "cancelled");
    assert.equal((await waiting).status, "cancelled");
    assert.equal((await lou.client.json(200, "POST", `${first}/cancel`, {})).status, "cancelled");
    await until(async () => (await lou.client.json(200, "GET", lou.path)).status === "idle");
  });

  test("the events of a silent thread begin at once with the headers, and a cut reader continues without a gap", async () => {
    const lou = await hire(slow);
    const first = await lou.start("First");
    const second = await lou.start("Second");
    const open = (path: string) =>
      fetch(`${slow.url}${path}`, { headers: { authorization: `Bearer ${lou.key}` } });
    // The only event of a thread that waits is its status.
    const announced = await open(`${second}/events`);
    await announced.body?.getReader().read();
    const silent = await open(`${second}/events?after=1`);
    assert.equal(silent.status, 200);
    assert.equal((await lou.client.json(200, "GET", second)).status, "queued");
    await silent.body?.cancel();

    let text = "";
    let after = 0;
    for (let cut = 0; cut < 5; cut += 1) {
      const reading = (await open(`${first}/events?after=${after}`)).body?.getReader();
      assert.ok(reading);
      const { value } = await reading.read();
      const frames = new TextDecoder().decode(value).split("\n\n").slice(0, -1);
      for (const frame of frames.filter((each) => each.startsWith("id: "))) {
        after = Number(/^id: (\d+)/.exec(frame)?.[1]);
        text += `${frame}\n\n`;
      }
      await reading.cancel();
    }
    await lou.client.json(200, "POST", `${first}/cancel`, {});
    const rest = await (await open(`${first}/events?after=${after}`)).text();
    const whole = await (await open(`${first}/events`)).text();
    assert.equal(text + rest, whole);
    const numbers = [...whole.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 1),
    );
    assert.equal((await lou.client.json(400, "GET", `${first}/events?after=99999`)).code, "INVALID_REQUEST");
  });

  test("every kind of bad input is refused with its code, and starts, changes and breaks nothing", async () => {
    const lou = await hire(server, idle);
    const other = await hire(server, idle);
    const ended = await lou.start("Hello");
    await untilFinal({ url: server.url, key: lou.key }, ended);
    const foreign = await other.start("Mine").then((path) => path.replace(other.id, lou.id));
    const threads = `${lou.path}/threads`;
    const admin = "/api/admin/workforce/agents";
    const hired = `${admin}/${lou.id}`;
    const ok = { name: "n", prebuilt: "log-analyst" };
    const message = { message: "m" };
    const rows: Array<
      [by: TestClient, method: string, path: string, body: unknown, status: number, code: string]
    > = [
      [lou.client, "POST", threads, {}, 400, "INVALID_REQUEST"],
      [lou.client, "POST", threads, { message: "" }, 400, "INVALID_REQUEST"],
      [lou.client, "POST", threads, { message: "m".repeat(100_001) }, 400, "INVALID_REQUEST"],
      [lou.client, "POST", threads, { message: "m".repeat(5_000_000) }, 413, "PAYLOAD_TOO_LARGE"],
      [lou.client, "POST", threads, { message: "a\u0000b" }, 400, "INVALID_REQUEST"],
      [lou.client, "POST", threads, { ...message, config: { model: "no-slash" } }, 400, "INVALID_REQUEST"],
      [lou.client, "POST", threads, { ...message, config: { model: "no/body" } }, 400, "MODEL_NOT_RUNNABLE"],
      [lou.client, "POST", threads, { ...message, config: { thinking: "much" } }, 400, "INVALID_REQUEST"],
      [
        lou.client,
        "POST",
        threads,
        { ...message, config: { capabilities: { nope: true } } },
        400,
        "CAPABILITY_NOT_DECLARED",
      ],
      [lou.client, "GET", `${threads}/thr_none`, undefined, 404, "NOT_FOUND"],
      [lou.client, "GET", foreign, undefined, 404, "NOT_FOUND"],
      [lou.client, "POST", `${foreign}/messages`, message, 404, "NOT_FOUND"],
      [lou.client, "POST", `${foreign}/cancel`, undefined, 404, "NOT_FOUND"],
      [lou.client, "DELETE", foreign, undefined, 404, "NOT_FOUND"],
      [lou.client, "GET", `${foreign}/events`, undefined, 404, "NOT_FOUND"],
      [lou.client, "POST", `${ended}/messages`, {}, 400, "INVALID_REQUEST"],
      [lou.client, "GET", `${ended}?wait=31`, undefined, 400, "INVALID_REQUEST"],
      [lou.client, "GET", `${threads}?limit=0`, undefined, 400, "INVALID_REQUEST"],
      [lou.client, "GET", `${threads}?cursor=x`, undefined, 400, "INVALID_REQUEST"],
      [lou.client, "PUT", threads, message, 405, "METHOD_NOT_ALLOWED"],
      [lou.client, "GET", other.path, undefined, 403, "FORBIDDEN"],
      [lou.client, "POST", `${lou.path}x/threads`, message, 403, "FORBIDDEN"],
      [server.client, "GET", lou.path, undefined, 403, "FORBIDDEN"],
      [lou.client, "GET", hired, undefined, 403, "FORBIDDEN"],
      [server.client, "POST", admin, { name: "n", prebuilt: "nobody" }, 400, "INVALID_REQUEST"],
      [server.client, "POST", admin, { name: "n", agentId: "agt_none" }, 400, "INVALID_REQUEST"],
      [server.client, "POST", admin, { ...ok, name: "a\u0007" }, 400, "INVALID_REQUEST"],
      [server.client, "POST", admin, { ...ok, computer: { kind: "mainframe" } }, 400, "INVALID_REQUEST"],
      [server.client, "POST", admin, { ...ok, settings: { model: "no/body" } }, 400, "MODEL_NOT_RUNNABLE"],
      [server.client, "POST", admin, { ...ok, capabilities: { nope: true } }, 400, "CAPABILITY_NOT_DECLARED"],
      [server.client, "POST", admin, { ...ok, input: { NOPE: 1 } }, 400, "INVALID_INPUT"],
      [server.client, "POST", admin, { ...ok, limits: { monthlyUsd: -1 } }, 400, "INVALID_REQUEST"],
      [server.client, "PATCH", hired, { settings: { model: "no/body" } }, 400, "MODEL_NOT_RUNNABLE"],
      [server.client, "PATCH", hired, { capabilities: { nope: true } }, 400, "CAPABILITY_NOT_DECLARED"],
      [server.client, "PATCH", `${admin}/agt_none`, {}, 404, "NOT_FOUND"],
      [server.client, "GET", `${admin}/agt_none/queue`, undefined, 404, "NOT_FOUND"],
      [server.client, "POST", `${hired}/keys`, {}, 400, "INVALID_REQUEST"],
      [
        server.client,
        "POST",
        `${hired}/keys`,
        { name: "k", expiresAt: "2001-01-01T00:00:00Z" },
        400,
        "INVALID_REQUEST",
      ],
      [server.client, "DELETE", `${hired}/keys/key_none`, undefined, 404, "NOT_FOUND"],
      [server.client, "GET", `${admin}?cursor=x`, undefined, 400, "INVALID_REQUEST"],
    ];
    const state = async () => [
      await server.client.json(200, "GET", hired),
      await lou.client.json(200, "GET", threads),
      (await lou.client.json(200, "GET", ended)).messages,
      await server.client.json(200, "GET", `${hired}/keys`),
    ];
    const withoutUse = (value: unknown) => JSON.stringify(value).replaceAll(/"lastUsedAt":[^,}]*/g, "");
    const before = withoutUse(await state());
    const failures: string[] = [];
    for (const [by, method, path, body, status, code] of rows) {
      const response = await by.request(method, path, body);
      const text = await response.text();
      if (response.status !== status || JSON.parse(text).code !== code)
        failures.push(`${method} ${path} ${JSON.stringify(body)?.slice(0, 80)}: ${response.status} ${text}`);
    }
    assert.deepEqual(failures, []);
    assert.equal(withoutUse(await state()), before);
  });
});
