import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { newCredential } from "@muster/service/credentials";
import { type TestScope, until } from "@muster/testing";
import { describe, test } from "vitest";
import type { GatewayConfig } from "../src/config.ts";
import { agentBody, type Edge, makeKey, type ScriptedSessions, startEdge } from "./support/start-edge.ts";

const path = "/api/credential";
/** The header without which no cookie counts. */
const fromOwnPage = { "x-muster-login": "1" };

const sessions: ScriptedSessions = {
  trigger: async function* (_request, { signal }) {
    yield { events: [{ sequence: 1, type: "start", json: '{"type":"start","messageId":"m"}' }] };
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  },
};

const start = (t: TestScope, changed: Partial<GatewayConfig> = {}) => startEdge(t, sessions, changed);

/** Logs in with a key; A browser sends `cookie` from then on. */
async function logIn(edge: Edge, key = edge.adminKey, headers: Record<string, string> = {}) {
  const answer = await edge.call("POST", "/api/logins", { key, headers });
  assert.equal(answer.status, 201, answer.text);
  const set = answer.headers.get("set-cookie") ?? "";
  const { loginId, expiresAt }: { loginId: string; expiresAt: string } = answer.json;
  return { loginId, expiresAt, set, cookie: set.split(";")[0] ?? "", answer };
}

const use = (edge: Pick<Edge, "call">, cookie: string, headers: Record<string, string> = fromOwnPage) =>
  edge.call("GET", path, { key: null, headers: { cookie, ...headers } });

const logOut = (edge: Edge, cookie: string, headers: Record<string, string> = fromOwnPage) =>
  edge.call("DELETE", "/api/logins/current", { key: null, headers: { cookie, ...headers } });

const isRefused = async (edge: Edge, cookie: string) => (await use(edge, cookie)).status === 401;

describe("a login", () => {
  test("an API key becomes a cookie that works as the key does, until the browser logs out", async (t) => {
    const edge = await start(t);
    const { cookie, set, loginId, expiresAt, answer } = await logIn(edge);
    assert.match(set, /^muster-login=svc_log_\w{32}_\w{6}; Path=\/; HttpOnly; SameSite=Strict$/);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    const lifetimeMs = Date.parse(expiresAt) - Date.now();
    assert.ok(lifetimeMs <= 8 * 3_600_000 && lifetimeMs > 8 * 3_600_000 - 60_000, expiresAt);
    const { status, json } = await use(edge, cookie);
    assert.deepEqual([status, json.loginId, json.keyId], [200, loginId, "key_bootstrap"]);
    assert.deepEqual([json.anyProject, json.permissions.includes("admin")], [true, true]);
    const removed = "muster-login=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0";
    // The second time, it has ended.
    for (let n = 0; n < 2; n++) {
      const out = await logOut(edge, cookie);
      assert.deepEqual([out.status, out.headers.get("set-cookie")], [204, removed]);
    }
    await until(() => isRefused(edge, cookie));
    assert.equal((await edge.call("GET", path)).json.loginId, null);
  });

  test("a login has no more permissions than its key, and no other agent", async (t) => {
    const edge = await start(t);
    const { json: own } = await edge.call("POST", "/api/agents", { body: agentBody("own") });
    const { json: other } = await edge.call("POST", "/api/agents", { body: agentBody("other") });
    const { key } = await makeKey(edge, { agentId: own.agentId });
    const { cookie } = await logIn(edge, key);
    const statusOf = async (address: string) =>
      (await edge.call("GET", address, { key: null, headers: { cookie, ...fromOwnPage } })).status;
    assert.equal((await use(edge, cookie)).json.agentId, own.agentId);
    assert.equal(await statusOf(`/api/agents/${own.agentId}`), 200);
    assert.equal(await statusOf(`/api/agents/${other.agentId}`), 403);
    assert.equal(await statusOf("/api/admin/keys"), 403);
  });

  test("no token and no login logs in, and neither does a request without a key", async (t) => {
    const edge = await start(t);
    const { json: agent } = await edge.call("POST", "/api/agents", { body: agentBody("a") });
    const { json: minted } = await edge.call("POST", "/api/tokens", { body: { agentId: agent.agentId } });
    const { cookie } = await logIn(edge);
    const byToken = await edge.call("POST", "/api/logins", { key: minted.token });
    const headers = { cookie, ...fromOwnPage };
    const byLogin = await edge.call("POST", "/api/logins", { key: null, headers });
    const byNothing = await edge.call("POST", "/api/logins", { key: null });
    assert.deepEqual([byToken.status, byLogin.status, byNothing.status], [403, 403, 401]);
    for (const { headers: sent } of [byToken, byLogin, byNothing]) assert.equal(sent.get("set-cookie"), null);
  });

  test("all logins of a key share its rate limit", async (t) => {
    const edge = await start(t, { rateLimits: { perCredential: 3, perProject: 0, perAddress: 0 } });
    const { cookie } = await logIn(edge);
    const { cookie: other } = await logIn(edge);
    assert.equal((await use(edge, cookie)).status, 200);
    assert.equal((await use(edge, other)).status, 429);
  });
});

describe("the end of a login", () => {
  test("a key that is deleted ends its logins within five seconds", async (t) => {
    const edge = await start(t);
    const { id, key } = await makeKey(edge);
    const { cookie } = await logIn(edge, key);
    assert.equal((await use(edge, cookie)).status, 200);
    const startMs = performance.now();
    assert.equal((await edge.call("DELETE", `/api/admin/keys/${id}`)).status, 200);
    await until(() => isRefused(edge, cookie));
    assert.ok(performance.now() - startMs < 5_000);
  });

  test("logging out ends the streams of the login, and neither those of another one nor the key", async (t) => {
    const edge = await start(t);
    const open = (headers: Record<string, string>) =>
      fetch(`${edge.url}/api/agent-sessions/ses_1/trigger`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ triggerName: "go" }),
      });
    const [one, other] = [await logIn(edge), await logIn(edge)];
    const ended = await open({ cookie: one.cookie, ...fromOwnPage });
    const kept = await open({ cookie: other.cookie, ...fromOwnPage });
    await logOut(edge, one.cookie);
    assert.match(await ended.text(), /"code":"UNAUTHENTICATED"/);
    assert.equal((await use(edge, other.cookie)).status, 200);
    assert.equal((await edge.call("GET", path)).status, 200);
    await kept.body?.cancel();
  });
});

describe("which requests a login authenticates", () => {
  test("without the header of the server's own pages the cookie is refused, and the error says what is missing", async (t) => {
    const edge = await start(t);
    const { cookie } = await logIn(edge);
    for (const refused of [await use(edge, cookie, {}), await logOut(edge, cookie, {})]) {
      assert.deepEqual([refused.status, refused.json.code], [401, "UNAUTHENTICATED"]);
      assert.match(refused.json.error, /X-Muster-Login: 1/);
    }
    assert.equal((await use(edge, cookie)).status, 200);
  });

  test("an Authorization header decides, whether it is right, wrong, malformed or empty", async (t) => {
    const edge = await start(t);
    const { cookie, loginId } = await logIn(edge);
    const headers = { cookie, ...fromOwnPage };
    const right = await edge.call("GET", path, { headers });
    assert.deepEqual([right.status, right.json.loginId], [200, null]);
    for (const authorization of [`Bearer svc_sk_${"0".repeat(32)}`, "Basic YTpi", ""]) {
      const wrong = await edge.call("GET", path, { key: null, headers: { ...headers, authorization } });
      assert.equal(wrong.status, 401, authorization);
    }
    assert.equal((await use(edge, cookie)).json.loginId, loginId);
  });

  test("a page of another origin uses no login, even if the server allows its origin, and never gets credentials", async (t) => {
    const origin = "http://localhost:3000";
    const edge = await start(t, { corsOrigins: [origin] });
    const { cookie } = await logIn(edge);
    const address = "/api/agent-sessions";
    const asked = {
      "access-control-request-method": "GET",
      "access-control-request-headers": "x-muster-login",
    };
    const preflight = await fetch(edge.url + address, { method: "OPTIONS", headers: { origin, ...asked } });
    const headers = { cookie, ...fromOwnPage };
    const read = await edge.call("GET", address, { key: null, headers: { ...headers, origin } });
    assert.deepEqual([preflight.status, read.status], [204, 401]);
    for (const answer of [preflight, read])
      assert.equal(answer.headers.get("access-control-allow-credentials"), null);
    assert.equal((await logOut(edge, cookie, { ...fromOwnPage, origin })).status, 403);
    assert.equal((await edge.call("POST", "/api/logins", { headers: { origin } })).status, 403);
    assert.equal((await use(edge, cookie, { ...fromOwnPage, "sec-fetch-site": "same-site" })).status, 401);
    const own = { ...fromOwnPage, origin: edge.url, "sec-fetch-site": "same-origin" };
    assert.equal((await use(edge, cookie, own)).status, 200);
  });

  test("wrong cookies count as wrong credentials of their address", async (t) => {
    const edge = await start(t, { authFailuresPerMinute: 2 });
    const wrong = () => use(edge, `muster-login=${newCredential("login", randomBytes)}`);
    const { cookie } = await logIn(edge);
    assert.deepEqual(
      [(await wrong()).status, (await wrong()).status, (await wrong()).status],
      [401, 401, 429],
    );
    assert.equal((await use(edge, cookie)).status, 200);
    const out = await logOut(edge, `muster-login=${newCredential("login", randomBytes)}`);
    assert.equal(out.status, 429);
  });

  test("a tool of the MCP server works with a login as with its key", async (t) => {
    const edge = await start(t);
    const { cookie } = await logIn(edge);
    const { status, text } = await edge.call("POST", "/mcp", {
      key: null,
      headers: { cookie, ...fromOwnPage, accept: "application/json, text/event-stream" },
      body: {
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "muster_agents_list", arguments: {} },
      },
    });
    assert.equal(status, 200, text);
    assert.match(text, /"agents\\?":/);
    assert.doesNotMatch(text, /UNAUTHENTICATED|isError":true/);
  });
});

describe("where a login works", () => {
  const proxied = { trustedProxies: ["127.0.0.1"] };
  const from = { "x-forwarded-for": "192.0.2.1", "x-forwarded-host": "muster.example.com" };

  test("over https the cookie has the prefix that binds it to the host, and the one without it does not count", async (t) => {
    const edge = await start(t, proxied);
    const secure = { ...from, "x-forwarded-proto": "https" };
    const { cookie, set } = await logIn(edge, edge.adminKey, {
      ...secure,
      origin: "https://muster.example.com",
    });
    assert.match(set, /^__Host-muster-login=svc_log_\w+; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
    assert.equal((await use(edge, cookie, { ...fromOwnPage, ...secure })).status, 200);
    assert.equal(
      (await use(edge, cookie.slice("__Host-".length), { ...fromOwnPage, ...secure })).status,
      401,
    );
    assert.equal((await use(edge, cookie)).status, 401);
    const out = await logOut(edge, cookie, { ...fromOwnPage, ...secure });
    assert.deepEqual(
      [out.status, out.headers.get("set-cookie")?.split(";")[0]],
      [204, "__Host-muster-login="],
    );
  });

  test("over plain http from elsewhere no browser logs in, and the error names the remedy", async (t) => {
    const edge = await start(t, proxied);
    const refused = await edge.call("POST", "/api/logins", { headers: from });
    assert.deepEqual([refused.status, refused.json.code], [403, "FORBIDDEN"]);
    assert.match(refused.json.error, /over https and set PUBLIC_URL/);
    assert.equal(refused.headers.get("set-cookie"), null);
    const { cookie } = await logIn(edge);
    assert.equal((await use(edge, cookie, { ...fromOwnPage, ...from })).status, 401);
  });
});
