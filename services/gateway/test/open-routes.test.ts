import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { type Edge, startEdge } from "./support/start-edge.ts";

const scope = suiteScope();
let edge: Edge;
beforeAll(async () => {
  edge = await startEdge(scope);
});

describe("routes without a key", () => {
  test("health, readiness and the OpenAPI description need no key", async () => {
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
  });

  test("the API page allows no other origin and no inline code, and its program is compressed and kept by version", async () => {
    const get = (path: string, headers = {}) => edge.call("GET", path, { key: null, headers });
    const page = await get("/docs");
    assert.equal(page.status, 200);
    const policy = page.headers.get("content-security-policy") ?? "";
    for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'"])
      assert.ok(policy.includes(`${rule};`), policy);
    assert.doesNotMatch(policy, /upgrade|https?:|\*/);
    assert.doesNotMatch(page.text, /\son\w+=|<script(?![^>]*\ssrc=)/);
    const [, program = ""] = /<script src="([^"]+)"/.exec(page.text) ?? [];
    const sizes = new Map<string | null, number>();
    for (const encoding of ["br", "gzip", "identity"]) {
      const { status, headers } = await get(`/${program}`, { "accept-encoding": encoding });
      assert.deepEqual([status, headers.get("vary")], [200, "Accept-Encoding"]);
      assert.match(headers.get("content-type") ?? "", /^text\/javascript/);
      assert.equal(headers.get("cache-control"), "public, max-age=31536000, immutable");
      sizes.set(headers.get("content-encoding"), Number(headers.get("content-length")));
      const etag = headers.get("etag") ?? "";
      const again = await get(`/${program}`, { "accept-encoding": encoding, "if-none-match": etag });
      assert.equal(again.status, 304);
    }
    const [br = 0, gzip = 0, plain = 0] = [sizes.get("br"), sizes.get("gzip"), sizes.get(null)];
    assert.ok(0 < br && br < gzip && gzip < plain / 3, `${br} ${gzip} ${plain}`);
    const other = await get("/docs/viewer.js?v=another");
    assert.equal(other.headers.get("cache-control"), "public, max-age=300");
    assert.equal(
      (await fetch(`${edge.url}/docs/`, { redirect: "manual" })).headers.get("location"),
      "../docs",
    );
  });

  test("a browser that opens the server's address gets to the console, and other clients are told about it", async () => {
    const open = (accept: string, method = "GET") =>
      fetch(edge.url, { method, redirect: "manual", headers: { accept } });
    for (const method of ["GET", "HEAD"]) {
      const browser = await open("text/html,application/xhtml+xml,*/*;q=0.8", method);
      assert.deepEqual([browser.status, browser.headers.get("location")], [302, "console"]);
    }
    const program = await open("*/*");
    assert.equal(program.status, 404);
    assert.match(await program.text(), /See \/docs/);
  });

  test("a browser that opens an agent or a session gets to its page in the console", async () => {
    const open = (path: string) => fetch(edge.url + path, { redirect: "manual" });
    for (const path of ["/agents/agt_1", "/sessions/ses_1"]) {
      const answer = await open(path);
      assert.deepEqual([answer.status, answer.headers.get("location")], [302, `/console${path}`]);
    }
    assert.equal((await open("/sessions/%2F%2Fother.example")).status, 404);
    assert.equal((await open("/sessions")).status, 404);
  });

  test("the console's page allows nothing from elsewhere, and its files are kept by version", async () => {
    const get = (path: string) => edge.call("GET", path, { key: null });
    const page = await get("/console/sessions/ses_1");
    assert.deepEqual([page.status, page.text], [200, (await get("/console")).text]);
    const policy = page.headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
    assert.doesNotMatch(policy, /unsafe|https?:|data:|\*/);
    assert.equal(page.headers.get("cache-control"), "no-cache");
    const [, script = ""] = /<script type="module"[^>]* src="([^"]+)"/.exec(page.text) ?? [];
    const program = await get(script);
    assert.match(program.headers.get("content-type") ?? "", /^text\/javascript/);
    assert.equal(program.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.equal((await get("/console/assets/of-another-version.js")).status, 404);
    assert.equal((await get("/console/../package.json")).status, 404);
  });

  test("readiness names the services that cannot be reached, and liveness asks nothing", async () => {
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
