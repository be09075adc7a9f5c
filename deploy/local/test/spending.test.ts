import assert from "node:assert/strict";
import { record, serve, TestClient, until } from "@muster/testing";
import { test } from "vitest";
import { readExample } from "./support/example.ts";
import { startTestServer } from "./support/server.ts";

const turn = { triggerName: "user-message", input: { USER_MESSAGE: "Where is order 1042?" } };

test("a token of a browser is stopped by the limit of the key that minted it, wherever it would call a model", async (t) => {
  const received: Array<Record<string, unknown>> = [];
  const hook = await serve(t, async (request, response) => {
    received.push(record(JSON.parse(Buffer.concat(await request.toArray()).toString())));
    response.writeHead(204).end();
  });
  const { url, key, client } = await startTestServer(t, { WEBHOOK_ALLOWED_HOSTS: "127.0.0.1" });
  await client.json(201, "POST", "/api/admin/webhooks", { url: hook, events: ["limit.reached"] });
  const agentId = await client.field(
    "agentId",
    201,
    "POST",
    "/api/agents",
    await readExample("support-chat"),
  );
  const made = await client.json(201, "POST", "/api/admin/keys", {
    name: "Website",
    permissions: ["sessions", "mint-tokens"],
    limits: { monthlyTokens: 1 },
  });
  const website = new TestClient(url, String(made.key));
  const token = await website.field("token", 201, "POST", "/api/tokens", { agentId });
  const browser = new TestClient(url, token);
  const sessionId = await browser.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  const events = await browser.trigger(sessionId, turn);
  assert.equal(events.findLast(({ type }) => type === "finish")?.finishReason, "stop");

  const trigger = `/api/agent-sessions/${sessionId}/trigger`;
  const refusedBy = async (caller: TestClient, path: string, body: object) =>
    (await caller.json(402, "POST", path, body)).code;
  const opening = { agentId, trigger: turn };
  assert.equal(await refusedBy(browser, trigger, turn), "USAGE_LIMIT");
  assert.equal(await refusedBy(browser, trigger, { ...turn, stream: false }), "USAGE_LIMIT");
  assert.equal(await refusedBy(website, "/api/agent-sessions/start", opening), "USAGE_LIMIT");
  const { sessions } = await client.json(200, "GET", "/api/agent-sessions");
  assert.equal(Array.isArray(sessions) && sessions.length, 1);

  await until("a webhook learns of it", () => received.length === 1);
  const { month, ...reached } = record(received[0]?.data);
  assert.match(String(month), /^\d{4}-\d\d$/);
  assert.deepEqual(reached, { projectId: "default", keyId: made.id, limit: "key" });

  // The bootstrap key has no limit.
  assert.ok((await client.trigger(sessionId, turn)).some(({ type }) => type === "finish"));
  const path = `/api/admin/keys/${made.id}`;
  await client.json(200, "PATCH", path, { limits: { monthlyTokens: null, monthlyUsd: 0 } });
  assert.equal(await refusedBy(browser, trigger, turn), "SPENDING_LIMIT");
  const { limits } = await client.json(200, "PATCH", path, { limits: { monthlyUsd: 5 } });
  assert.deepEqual(record(limits), { monthlyUsd: 5, monthlyTokens: null });
  assert.ok((await browser.trigger(sessionId, turn)).some(({ type }) => type === "finish"));

  const poor = await client.field("token", 201, "POST", "/api/tokens", { agentId, maxUsd: 0 });
  const [last] = (await new TestClient(url, poor).trigger(sessionId, turn)).slice(-1);
  assert.deepEqual(
    [last?.type, last?.errorType, last?.code],
    ["error", "quota_exceeded_error", "SPENDING_LIMIT"],
  );
  const one = await client.trigger(sessionId, { ...turn, maxUsd: 0 });
  assert.equal(one.at(-1)?.code, "SPENDING_LIMIT");

  const ada = await website.field("token", 201, "POST", "/api/tokens", { agentId, subject: "ada" });
  await new TestClient(url, ada).json(404, "GET", `/api/agent-sessions/${sessionId}`);
  const ofAda = await website.field("sessionId", 201, "POST", "/api/agent-sessions", {
    agentId,
    subject: "ada",
  });
  const asAda = new TestClient(url, ada);
  assert.ok((await asAda.trigger(ofAda, turn)).some(({ type }) => type === "finish"));
  await asAda.json(403, "POST", "/api/agent-sessions", { agentId, subject: "bob" });
  await website.json(403, "POST", "/api/tokens", { agentId, sessionId, subject: "ada" });
  const bySubject = await client.json(200, "GET", "/api/usage?groupBy=subject");
  const names = Array.isArray(bySubject.groups) ? bySubject.groups.map((group) => record(group).name) : [];
  assert.deepEqual(names.sort(), ["ada", null]);
  const project = "/api/admin/projects/default";
  const none = { limits: { perSubject: { monthlyUsd: 0 } } };
  assert.partialDeepStrictEqual(await client.json(200, "PATCH", project, none), none);
  assert.equal(await refusedBy(asAda, `/api/agent-sessions/${ofAda}/trigger`, turn), "SPENDING_LIMIT");
  assert.ok((await browser.trigger(sessionId, turn)).some(({ type }) => type === "finish"));

  const byKey = await client.json(200, "GET", "/api/usage?groupBy=key&dailyTop=10");
  const groups = Array.isArray(byKey.groups) ? byKey.groups.map(record) : [];
  const sumOf = (name: string) => groups.reduce((sum, group) => sum + Number(group[name]), 0);
  const ofKey = groups.find(({ name }) => name === made.id);
  // Three turns of the token, and one of its subject's.
  assert.ok(Number(ofKey?.calls) === 4 && Number(ofKey?.outputTokens) > 0, JSON.stringify(byKey));
  const [day] = Array.isArray(ofKey?.days) ? ofKey.days.map(record) : [];
  assert.deepEqual([day?.day, day?.calls], [new Date().toISOString().slice(0, 10), 4]);
  const total = record(byKey.total);
  assert.deepEqual([total.calls, total.outputTokens], [sumOf("calls"), sumOf("outputTokens")]);
  const csv = await fetch(`${url}/api/usage?groupBy=model`, {
    headers: { authorization: `Bearer ${key}`, accept: "text/csv" },
  });
  assert.match(csv.headers.get("content-type") ?? "", /^text\/csv/);
  const lines = (await csv.text()).split("\r\n");
  assert.equal(lines[0], "model,calls,inputTokens,outputTokens,providerFeeUsd,bandwidthFeeUsd,totalFeeUsd");
  assert.match(lines[1] ?? "", new RegExp(`^demo/echo,${total.calls},\\d+,${total.outputTokens},0,0,0$`));
  for (const query of ["from=2026-13-01", "from=2026-11-02&to=2026-11-01", "from=2020-01-01", "dailyTop=11"])
    await client.json(400, "GET", `/api/usage?${query}`);
  await browser.json(403, "GET", "/api/usage");

  await client.json(200, "PATCH", "/api/admin/projects/default", { limits: { monthlyUsd: 0 } });
  assert.equal(await refusedBy(browser, trigger, turn), "SPENDING_LIMIT");
  assert.equal(await refusedBy(client, trigger, turn), "SPENDING_LIMIT");
  const worker = await client.field(
    "agentId",
    201,
    "POST",
    "/api/agents",
    await readExample("research-worker"),
  );
  const input = { QUESTION: "Do owls fly?", MODEL: "demo/echo", WRITER_MODEL: "demo/echo" };
  assert.equal(
    await refusedBy(client, `/api/agents/${worker}/execute`, { type: "start", input }),
    "SPENDING_LIMIT",
  );
  await until("webhooks learn of each limit once", () => received.length === 4);
  assert.deepEqual(
    received.map(({ type, data }) => [type, record(data).limit]),
    [
      ["limit.reached", "key"],
      ["limit.reached", "key"],
      ["limit.reached", "subject"],
      ["limit.reached", "project"],
    ],
  );
});
