import assert from "node:assert/strict";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { agentBody, type Edge, exchange, makeKey, startEdge } from "./support/start-edge.ts";

const scope = suiteScope();
let edge: Edge;
beforeAll(async () => {
  edge = await startEdge(scope);
});

describe("authentication", () => {
  test("every invalid credential gets the same 401", async () => {
    const deleted = await makeKey(edge);
    await edge.call("DELETE", `/api/admin/keys/${deleted.id}`);
    const headers = [
      {},
      { authorization: "" },
      { authorization: edge.adminKey },
      { authorization: `Basic ${edge.adminKey}` },
      { authorization: `Bearer svc_sk_${"0".repeat(32)}` },
      { authorization: `Bearer ${deleted.key}` },
      { authorization: `Bearer ${"x".repeat(9_000)}` },
    ];
    for (const header of headers) {
      const answer = await edge.call("GET", "/api/agents", { key: null, headers: header });
      assert.equal(answer.status, 401);
      assert.equal(answer.headers.get("www-authenticate"), "Bearer");
      assert.equal(answer.json.code, "UNAUTHENTICATED");
      assert.equal(answer.json.error, "Send a valid API key or token as Authorization: Bearer <API_KEY>.");
      assert.equal(answer.json.requestId, answer.headers.get("x-request-id"));
    }
  });

  test("two Authorization headers are refused even if one is valid", async (t) => {
    const { url, adminKey } = await startEdge(t);
    const valid = `Authorization: Bearer ${adminKey}\r\n`;
    const text = await exchange(
      url,
      `GET /api/agents HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${valid}${valid}\r\n`,
    );
    assert.match(text, /^HTTP\/1\.1 401 /);
  });

  test("a header that is not printable ASCII or too long gets the same 401, and one that breaks HTTP is 400", async (t) => {
    const { url, adminKey } = await startEdge(t);
    const statusOf = async (value: string) => {
      const lines = ["GET /api/agents HTTP/1.1", "Host: x", "Connection: close", `Authorization: ${value}`];
      const text = await exchange(url, `${lines.join("\r\n")}\r\n\r\n`);
      const body = text.slice(text.indexOf("{")).replace(/"requestId":"[^"]*"/, "");
      return { status: text.slice(9, 12), body: body.replace(/\r\n0\r\n.*/s, "") };
    };
    const plain = await statusOf("");
    assert.equal(plain.status, "401");
    const values = [
      `Bearer ${adminKey.slice(0, -1)}é`,
      `Bearer ${adminKey}é`,
      "Bearer 🔑",
      `Bearer ${"x".repeat(10 * 1024)}`,
      `Bearer ${adminKey} ${adminKey}`,
      `Bearer ${adminKey}, Bearer ${adminKey}`,
      `Bearer\t${adminKey}`,
      "Bearer",
    ];
    for (const value of values) assert.deepEqual(await statusOf(value), plain, value.slice(0, 40));
    assert.equal((await statusOf(`Bearer ${adminKey}\0`)).status, "400");
  });

  test("each route requires its permission and names it", async () => {
    const sessions = (await makeKey(edge)).key;
    const agents = (await makeKey(edge, { permissions: ["agents"] })).key;
    const body = {};
    const cases: Array<[key: string, method: string, path: string, needed: RegExp]> = [
      [agents, "POST", "/api/agent-sessions", /sessions/],
      [agents, "POST", "/api/agent-sessions/ses_1/trigger", /sessions/],
      [sessions, "POST", "/api/agents", /agents/],
      [sessions, "PATCH", "/api/agents/agt_1", /agents/],
      [sessions, "DELETE", "/api/agents/agt_1", /agents/],
      [agents, "POST", "/api/admin/keys", /admin/],
      [sessions, "GET", "/api/admin/projects", /admin/],
    ];
    for (const [key, method, path, needed] of cases) {
      const answer = await edge.call(method, path, { key, ...(method === "GET" ? {} : { body }) });
      assert.equal(answer.status, 403, `${method} ${path}`);
      assert.equal(answer.json.code, "FORBIDDEN");
      assert.match(answer.json.error, needed);
    }
    for (const key of [sessions, agents])
      assert.equal((await edge.call("GET", "/api/agents", { key })).status, 200);
  });

  test("X-Project-Id selects the project only of a key that may act in any", async () => {
    const { json: project } = await edge.call("POST", "/api/admin/projects", { body: { name: "Other" } });
    const elsewhere = { headers: { "x-project-id": project.id } };
    const created = await edge.call("POST", "/api/agents", { body: agentBody("there"), ...elsewhere });
    assert.equal(created.status, 201, created.text);
    const there = await edge.call("GET", "/api/agents", elsewhere);
    assert.deepEqual([there.json.agents[0].slug, there.json.agents[0].projectId], ["there", project.id]);
    assert.deepEqual((await edge.call("GET", "/api/agents")).json.agents, []);
    assert.equal((await edge.call("GET", `/api/agents/${created.json.agentId}`)).status, 404);
    const { key } = await makeKey(edge, { permissions: ["agents"] });
    assert.equal((await edge.call("GET", "/api/agents", { key, ...elsewhere })).status, 403);
    assert.equal(
      (await edge.call("GET", "/api/agents", { key, headers: { "x-project-id": "default" } })).status,
      200,
    );
    assert.equal(
      (await edge.call("GET", "/api/agents", { headers: { "x-project-id": "prj_none" } })).status,
      404,
    );
  });
});
