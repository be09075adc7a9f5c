import assert from "node:assert/strict";
import { request } from "node:http";
import { CollectedMetrics } from "@muster/metrics/testing";
import { record, StreamReader, TestClient, type TestScope, until } from "@muster/testing";
import { describe, test } from "vitest";
import { echoAgent, startWorld } from "./support/world.ts";

const trigger = "/api/agent-sessions/:sessionId/trigger";
const say = (text: string) => ({ triggerName: "user-message", input: { USER_MESSAGE: text } });

type Options = NonNullable<Parameters<typeof startWorld>[1]>;

async function startMeasured(t: TestScope, options: Options = {}) {
  const metrics = new CollectedMetrics();
  const world = await startWorld(t, { ...options, metrics });
  const agentId = await world.client.field("agentId", 201, "POST", "/api/agents", echoAgent("echo"));
  const openSession = () => world.client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  return { ...world, metrics, agentId, openSession };
}

/** Sends exactly this, unlike `fetch`. Resolves with the status. */
function send(url: string, method: string, path: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const call = request({ hostname, port, method, path, agent: false }, (response) => {
      response.resume().once("close", () => resolve(response.statusCode ?? 0));
    });
    call.once("error", reject).end();
  });
}

describe("the metrics of a turn", () => {
  test("count it once everywhere: route, stream, first delta, calls, model, tokens and store", async (t) => {
    const { metrics, client, openSession } = await startMeasured(t);
    const sessionId = await openSession();
    await client.trigger(sessionId, say("one two three"));
    await until(
      "the response has ended",
      async () => (await metrics.read()).total("muster_http_requests_total", { route: trigger }) === 1,
    );
    const scraped = await metrics.read();
    const route = { route: trigger, method: "POST" };
    assert.equal(scraped.total("muster_http_requests_total", { ...route, status: "200" }), 1);
    assert.equal(
      scraped.total("muster_http_request_duration_seconds", route),
      0,
      "streams have metrics of their own",
    );
    assert.equal(
      scraped.total("muster_http_request_duration_seconds", { route: "/api/agents", method: "POST" }),
      1,
    );
    assert.equal(scraped.total("muster_first_delta_seconds"), 1);
    assert.equal(scraped.total("muster_stream_outcomes_total"), 1);
    assert.equal(scraped.total("muster_stream_outcomes_total", { outcome: "stop" }), 1);
    assert.equal(scraped.total("muster_turns_total"), 1);
    assert.equal(scraped.total("muster_turns_total", { outcome: "stop" }), 1);
    assert.equal(scraped.total("muster_model_requests_total", { model: "demo/echo", outcome: "ok" }), 1);
    assert.equal(scraped.total("muster_model_first_part_seconds", { provider: "demo" }), 1);
    for (const direction of ["input", "output"])
      assert.ok(scraped.total("muster_model_tokens_total", { model: "demo/echo", direction }) > 0, direction);
    const call = { service: "muster.sessions.v1.SessionsService", method: "Trigger" };
    assert.equal(scraped.total("muster_rpc_requests_total", { ...call, code: "OK" }), 1);
    assert.equal(scraped.total("muster_rpc_request_duration_seconds", call), 0, "only unary calls");
    assert.ok(scraped.total("muster_rpc_request_duration_seconds", { method: "Authenticate" }) > 0);
    assert.ok(
      scraped.total("muster_store_operation_duration_seconds", { operation: "findOneAndUpdate" }) > 0,
    );
    assert.equal(scraped.total("muster_store_errors_total"), 0);
  });

  test("show streams while they are open, and that their reader left", async (t) => {
    const { metrics, client, openSession } = await startMeasured(t, { wordDelayMs: 20 });
    const path = trigger.replace(":sessionId", await openSession());
    const leave = new AbortController();
    const response = await client.request("POST", path, say("word ".repeat(500)), leave.signal);
    await new StreamReader(response).readUntil('"text-delta"');
    const open = await metrics.read();
    for (const service of ["gateway", "sessions"])
      assert.equal(open.total("muster_streams_open", { service }), 1, service);
    assert.equal(open.total("muster_http_requests_in_progress"), 1);
    leave.abort();
    await until("it has ended", async () => (await metrics.read()).total("muster_turns_total") === 1);
    await until("it is closed", async () => (await metrics.read()).total("muster_streams_open") === 0);
    const closed = await metrics.read();
    assert.equal(closed.total("muster_http_requests_in_progress"), 0);
    assert.equal(closed.total("muster_stream_outcomes_total", { outcome: "client_left" }), 1);
    assert.equal(closed.total("muster_turns_total", { outcome: "disconnected" }), 1);
    assert.equal(closed.total("muster_model_requests_total", { outcome: "aborted" }), 1);
    const call = { method: "Trigger", code: "CANCELED" };
    assert.equal(closed.total("muster_rpc_requests_total", call), 1);
  });

  test("of a workforce agent count its run by how it ended", async (t) => {
    const { metrics, client, url } = await startMeasured(t);
    const hired = await client.json(201, "POST", "/api/admin/workforce/agents", {
      name: "Lou",
      prebuilt: "log-analyst",
    });
    const lou = new TestClient(url, String(hired.key));
    const threads = `/api/v1/workforce/agents/${String(hired.agentId)}/threads`;
    const threadId = await lou.field("threadId", 201, "POST", threads, {
      message: "Why did the build fail?",
    });
    const status = async () => record(await lou.json(200, "GET", `${threads}/${threadId}`)).status;
    await until(
      "it has ended",
      async () => !["queued", "pending", "running"].includes(String(await status())),
    );
    const scraped = await metrics.read();
    assert.equal(scraped.total("muster_runs_total", { outcome: String(await status()) }), 1);
    assert.equal(scraped.total("muster_runs_total"), 1);
    for (const queue of [
      "run_slots",
      "recordings",
      "model_files",
      "store_connections",
      "commands",
      "images",
      "definitions",
      "session_reads",
      "turn_ends",
    ])
      assert.equal(scraped.total("muster_queue_depth", { queue }), 0, queue);
    assert.deepEqual(scraped.values("muster_queue_depth", "queue").length, 13);
    assert.ok(scraped.total("muster_event_lag_seconds", { subject: "workforce.agent" }) > 0);
  });
});

describe("the labels of the gateway's metrics", () => {
  test("have few values, whatever paths and methods are sent", async (t) => {
    const { metrics, url, routes } = await startMeasured(t, { gateway: { maxRequestsInProgress: 100 } });
    const paths = Array.from({ length: 40 }, (_, index) => [
      `/api/agents/${"x".repeat(index)}${index}`,
      `/nowhere/${index}`,
      `/api/agent-sessions/${index}/trigger?session=${index}`,
      `/docs/${index}/%2e%2e/__proto__`,
    ]).flat();
    for (const path of paths)
      for (const method of ["GET", "PROPFIND", "MKCALENDAR"]) await send(url, method, path);
    const scraped = await metrics.read();
    const known = new Set([...routes.map((route) => route.split(" ")[1]), "none"]);
    for (const route of scraped.values("muster_http_requests_total", "route"))
      assert.ok(known.has(route), route);
    const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"];
    for (const method of scraped.values("muster_http_requests_total", "method"))
      assert.ok(methods.includes(method), method);
    assert.ok(scraped.total("muster_http_requests_total", { route: "none" }) >= 40);
    assert.ok(scraped.total("muster_http_requests_total", { method: "other" }) >= 40);
    assert.equal(
      scraped.total("muster_http_refusals_total", { reason: "auth" }),
      scraped.total("muster_http_requests_total", { status: "401" }),
    );
    assert.ok(scraped.total("muster_http_refusals_total", { reason: "auth" }) > 0);
  });

  test("distinguish the causes of a refused request", async (t) => {
    const gateway = { modelsRateLimitPerMinute: 2, maxRequestsInProgress: 1 };
    const { metrics, client, url } = await startMeasured(t, { gateway });
    for (let index = 0; index < 4; index++) await send(url, "GET", "/api/models");
    const refused = async (reason: string) =>
      (await metrics.read()).total("muster_http_refusals_total", { reason });
    assert.equal(await refused("rate_limit"), 2);
    await until("one of many at once is too many", async () => {
      await Promise.all(
        Array.from({ length: 10 }, async () => (await client.request("GET", "/api/agents")).arrayBuffer()),
      );
      return (await refused("overload")) > 0;
    });
    assert.equal(await refused("event_loop"), 0);
  });
});

describe("metrics during an outage", () => {
  test("of the store are complete but for its own measurements, and the process is not ready", async (t) => {
    const { metrics, store, client } = await startMeasured(t, { missesStore: true });
    const made = await client.json(201, "POST", "/api/admin/keys", { name: "k", permissions: ["sessions"] });
    await client.json(200, "DELETE", `/api/admin/keys/${String(made.id)}`);
    await until("the event is handled", async () => {
      const scraped = await metrics.read();
      return scraped.total("muster_event_lag_seconds", { subject: "auth.key-revoked" }) > 0;
    });
    await until("all is well", async () => {
      const scraped = await metrics.read();
      const outboxes = scraped.values("muster_outbox_age_seconds", "outbox").length;
      return (
        scraped.total("muster_ready") === 1 &&
        outboxes === 12 &&
        scraped.total("muster_outbox_age_seconds") === 0
      );
    });
    await store.stop();
    await until("the store is missed", async () => {
      const scraped = await metrics.read();
      const outboxes = scraped.values("muster_outbox_age_seconds", "outbox").length;
      return scraped.total("muster_ready") === 0 && outboxes === 0;
    });
    const scraped = await metrics.read();
    assert.ok(scraped.total("muster_http_requests_total") > 0);
    await until(
      "its failures are counted",
      async () => (await metrics.read()).total("muster_store_errors_total") > 0,
    );
  });
});
