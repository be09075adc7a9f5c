import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { connectNatsBus } from "@muster/events";
import { startNatsServer } from "@muster/events/testing";
import { silentLogger } from "@muster/service";
import {
  startIssuer,
  startProxy,
  type TestIssuer,
  type TestProxy,
  type TestScope,
  until,
} from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { gatewayDefaults } from "../src/config.ts";
import { agentBody, makeKey, type ScriptedSessions, startEdge } from "./support/start-edge.ts";

const ceilingMs = 5_000;

const sessions: ScriptedSessions = {
  cancelExecution: async () => ({ cancelled: false }),
  trigger: async function* (_request, { signal }) {
    yield { events: [{ sequence: 1, type: "start", json: '{"type":"start","messageId":"m"}' }] };
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  },
};

/** Four gateways that share a NATS server. The last one reaches it through a proxy that can swallow everything. */
async function startFour(
  t: TestScope,
  changed: Parameters<typeof startEdge>[2] = {},
  privateOrigins: readonly string[] = [],
) {
  const server = await startNatsServer(t);
  const proxy = await startProxy(t, server.port);
  const connectTo = async (url: string) => {
    const bus = await connectNatsBus({ url, name: "test", log: silentLogger, onFatal: () => undefined });
    t.onTestFinished(() => bus.close());
    return bus;
  };
  const edge = await startEdge(
    t,
    sessions,
    changed,
    silentLogger,
    await connectTo(server.url),
    {},
    privateOrigins,
  );
  const urls = [edge.url];
  for (const url of [server.url, server.url, `nats://127.0.0.1:${proxy.port}`]) {
    urls.push((await edge.startGateway(changed, await connectTo(url))).url);
  }
  const created = await edge.call("POST", "/api/agents", { body: agentBody("echo") });
  return { edge, urls, proxy, agentId: String(created.json.agentId) };
}

type Four = Awaited<ReturnType<typeof startFour>>;

async function mint({ edge, agentId }: Four, key = edge.adminKey) {
  const { status, json, text } = await edge.call("POST", "/api/tokens", { body: { agentId }, key });
  assert.equal(status, 201, text);
  return json as { token: string; jti: string };
}

async function isAccepted(url: string, token: string): Promise<boolean> {
  const request = { method: "POST", headers: { authorization: `Bearer ${token}` } };
  const response = await fetch(`${url}/api/agent-sessions/ses_1/cancel`, request);
  await response.arrayBuffer();
  assert.ok([200, 401].includes(response.status), String(response.status));
  return response.status === 200;
}

const openStream = (url: string, token: string) =>
  fetch(`${url}/api/agent-sessions/ses_1/trigger`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: '{"triggerName":"x"}',
  });

const endOfRevoked =
  /"errorType":"authentication_error".*"code":"UNAUTHENTICATED","lastSequence":\d+\}\n\ndata: \[DONE\]\n\n$/;

/** Polls every gateway until it refuses the token. The last moment at which one accepted it, after `sinceMs`. */
async function lastAcceptedAfter(urls: readonly string[], token: string, sinceMs: number): Promise<number> {
  let lastMs = 0;
  const poll = async (url: string) => {
    for (;;) {
      const startedMs = Date.now();
      if (!(await isAccepted(url, token))) return;
      lastMs = Math.max(lastMs, startedMs - sinceMs);
      await delay(20);
    }
  };
  await Promise.all(urls.map(poll));
  return lastMs;
}

describe("a revocation with several gateways", () => {
  const scope = suiteScope();
  let four: Four;
  let issuer: TestIssuer;
  beforeAll(async () => {
    issuer = await startIssuer(scope);
    // Without an event, nothing would be checked again for ten minutes.
    const settings = { authCacheMs: 600_000, streams: { ...gatewayDefaults.streams, recheckMs: 600_000 } };
    four = await startFour(scope, settings, [issuer.url]);
  });

  test("the event alone makes every gateway refuse the token and end its streams, and other tokens keep theirs", async () => {
    const [revoked, kept] = [await mint(four), await mint(four)];
    const streams = await Promise.all(four.urls.map((url) => openStream(url, revoked.token)));
    const others = await Promise.all(four.urls.map((url) => openStream(url, kept.token)));
    const { json } = await four.edge.call("POST", "/api/tokens/revoke", { body: { jti: revoked.jti } });
    assert.deepEqual(json, { revoked: true, jti: revoked.jti });
    await lastAcceptedAfter(four.urls, revoked.token, Date.now());
    for (const stream of streams) assert.match(await stream.text(), endOfRevoked);
    for (const url of four.urls) assert.ok(await isAccepted(url, kept.token));
    for (const other of others) await other.body?.cancel();
  });

  test("deleting a key ends the streams of its tokens on every gateway", async () => {
    const { id, key } = await makeKey(four.edge, { permissions: ["sessions", "mint-tokens"] });
    const { token } = await mint(four, key);
    const streams = await Promise.all(four.urls.map((url) => openStream(url, token)));
    await four.edge.call("DELETE", `/api/admin/keys/${id}`);
    await lastAcceptedAfter(four.urls, token, Date.now());
    for (const stream of streams) assert.match(await stream.text(), endOfRevoked);
  });

  test("deleting an identity provider ends the streams of its tokens on every gateway, and no others", async () => {
    const conditions = [{ claim: "sub", equals: ["ci"] }];
    const body = { name: "CI", issuer: issuer.url, conditions, scope: { agentId: four.agentId } };
    const register = async () => {
      const { json } = await four.edge.call("POST", "/api/admin/identity-providers", { body });
      const nowS = Math.floor(Date.now() / 1_000);
      const claims = { iss: issuer.url, aud: json.audience, sub: "ci", iat: nowS, exp: nowS + 600 };
      return { id: String(json.id), token: await issuer.sign(claims) };
    };
    const [deleted, kept] = [await register(), await register()];
    const streams = await Promise.all(four.urls.map((url) => openStream(url, deleted.token)));
    const others = await Promise.all(four.urls.map((url) => openStream(url, kept.token)));
    await four.edge.call("DELETE", `/api/admin/identity-providers/${deleted.id}`);
    await lastAcceptedAfter(four.urls, deleted.token, Date.now());
    for (const stream of streams) assert.match(await stream.text(), endOfRevoked);
    for (const url of four.urls) assert.ok(await isAccepted(url, kept.token));
    for (const other of others) await other.body?.cancel();
  });

  test("a gateway that is cut off from NATS accepts a revoked token for less than five seconds, and ends its streams", async (t) => {
    const four = await startFour(t);
    const { token, jti } = await mint(four);
    for (const url of four.urls) assert.ok(await isAccepted(url, token));
    const [, , , lonely = ""] = four.urls;
    await cutOff(four.proxy, lonely, token);
    const stream = await openStream(lonely, token);
    await four.edge.call("POST", "/api/tokens/revoke", { body: { jti } });
    const lastMs = await lastAcceptedAfter(four.urls, token, Date.now());
    assert.ok(lastMs < ceilingMs, `accepted ${lastMs} ms after the revocation`);
    assert.match(await stream.text(), endOfRevoked);
  });
});

/** The gateway has just asked about the token, so that its cache is as young as possible. */
async function cutOff(proxy: TestProxy, url: string, token: string): Promise<void> {
  proxy.blackhole();
  await until("the gateway still accepts the token", () => isAccepted(url, token));
}
