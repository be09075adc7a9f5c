import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { startEdge } from "./support/start-edge.ts";

describe("routes without a key", () => {
  test("health, readiness and the OpenAPI description need no key", async (t) => {
    const edge = await startEdge(t);
    const get = (path: string) => edge.call("GET", path, { key: null });
    assert.deepEqual((await get("/healthz")).json, { status: "ok" });
    await until("it is ready", async () => (await get("/readyz")).status === 200);
    const ready = await get("/readyz");
    const dependencies = { auth: "ok", agents: "ok", sessions: "ok", workforce: "ok", events: "ok" };
    assert.deepEqual(ready.json, { status: "ready", dependencies });
    const { json: api } = await get("/openapi.json");
    assert.equal(api.openapi, "3.1.0");
    assert.ok(api.paths["/api/agent-sessions/{sessionId}/trigger"].post.requestBody);
    assert.deepEqual(api.paths["/api/agents"].post.security, [{ apiKey: [] }]);
    const header = (path: string, method: string) =>
      api.paths[path][method].parameters.find((each: { in: string }) => each.in === "header")?.name;
    assert.equal(header("/api/agents/{id}", "patch"), "if-match");
    assert.equal(header("/api/agents/{id}", "delete"), "if-match");
    for (const path of ["/api/agents/{id}", "/api/models", "/schemas/protocol.json"])
      assert.equal(header(path, "get"), "if-none-match", path);
    const docs = await get("/docs");
    assert.equal(docs.status, 200);
    assert.doesNotMatch(docs.headers.get("content-security-policy") ?? "upgrade", /upgrade|https:/);
    assert.match(
      (await get("/docs/static/swagger-ui-bundle.js")).headers.get("content-type") ?? "",
      /javascript/,
    );
  });

  test("a browser that opens an agent or a session gets a page that says where to read it", async (t) => {
    const edge = await startEdge(t);
    for (const [path, read] of [
      ["/agents/agt_1", "GET /api/agents/agt_1"],
      ["/sessions/ses_1", "muster sessions show ses_1"],
    ] as const) {
      const headers = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
      const answer = await edge.call("GET", path, { key: null, headers });
      assert.deepEqual(
        [answer.status, answer.headers.get("content-type")],
        [200, "text/html; charset=utf-8"],
      );
      assert.ok(answer.text.includes(read), answer.text);
      assert.match(
        answer.headers.get("content-security-policy") ?? "",
        /^default-src 'none'; .*script-src 'none'/,
      );
      assert.equal(answer.headers.get("cache-control"), "no-store");
    }
    assert.equal((await edge.call("GET", "/sessions/%3Cscript%3E", { key: null })).status, 404);
    assert.equal((await edge.call("GET", "/sessions", { key: null })).status, 404);
  });

  test("an impossible request for a file of the API page is 400 and not 500", async (t) => {
    const edge = await startEdge(t);
    for (const headers of [{ range: "bytes=99999999-" }, { "if-match": '"x"' }]) {
      const answer = await edge.call("GET", "/docs/static/swagger-ui.css", { key: null, headers });
      assert.deepEqual([answer.status, answer.json.code], [400, "INVALID_REQUEST"]);
    }
  });

  test("readiness names the services that cannot be reached, and liveness asks nothing", async (t) => {
    const edge = await startEdge(t);
    await until("it is ready", async () => (await edge.call("GET", "/readyz", { key: null })).status === 200);
    await edge.stopSessions();
    // Results are shared for a second.
    await until("it is not", async () => (await edge.call("GET", "/readyz", { key: null })).status === 503);
    const answer = await edge.call("GET", "/readyz", { key: null });
    assert.deepEqual([answer.status, answer.headers.get("retry-after")], [503, "1"]);
    const { requestId, ...body } = answer.json;
    assert.match(requestId, /^req_/);
    assert.deepEqual(body, {
      status: "not_ready",
      // The same process serves both in this test.
      dependencies: {
        ...{ auth: "ok", agents: "ok", events: "ok" },
        ...{ sessions: "unreachable", workforce: "unreachable" },
      },
      error: "Not ready: sessions, workforce.",
      code: "UNAVAILABLE",
    });
    assert.equal((await edge.call("GET", "/healthz", { key: null })).status, 200);
    const self = await edge.call("GET", "/readyz?scope=self", { key: null });
    assert.deepEqual([self.status, self.json], [200, { status: "ready", dependencies: {} }]);
    const unknown = await edge.call("GET", "/readyz?scope=none", { key: null });
    assert.deepEqual([unknown.status, unknown.json.code], [400, "INVALID_REQUEST"]);
  });
});
