import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { type Edge, startEdge } from "./support/start-edge.ts";

const path = "/api/credential";
/** The header without which no cookie counts. */
const fromOwnPage = { "x-muster-login": "1" };

/** Logs in with a key; returns the cookie as a browser sends it. */
async function logIn(edge: Edge, key = edge.adminKey, headers: Record<string, string> = {}) {
  const answer = await edge.call("POST", "/api/logins", { key, headers });
  assert.equal(answer.status, 201, answer.text);
  const set = answer.headers.get("set-cookie") ?? "";
  return { ...(answer.json as { loginId: string; expiresAt: string }), set, cookie: set.split(";")[0] ?? "" };
}

const use = (edge: Edge, cookie: string, headers: Record<string, string> = fromOwnPage) =>
  edge.call("GET", path, { key: null, headers: { cookie, ...headers } });

describe("a login", () => {
  test("an API key becomes a cookie that works like the key, until it is logged out", async (t) => {
    const edge = await startEdge(t);
    const { cookie, set, loginId } = await logIn(edge);
    assert.match(set, /^muster-login=svc_log_\w{32}_\w{6}; Path=\/; HttpOnly; SameSite=Strict$/);
    const used = await use(edge, cookie);
    assert.equal(used.status, 200, used.text);
    assert.deepEqual(
      [used.json.loginId, used.json.keyId, used.json.anyProject],
      [loginId, "key_bootstrap", true],
    );
    const out = await edge.call("DELETE", "/api/logins/current", {
      key: null,
      headers: { cookie, ...fromOwnPage },
    });
    assert.deepEqual(
      [out.status, out.headers.get("set-cookie")],
      [204, "muster-login=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"],
    );
    await until(async () => (await use(edge, cookie)).status === 401);
  });
});
