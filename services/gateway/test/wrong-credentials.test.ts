import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { newCredential } from "@muster/service/credentials";
import { until } from "@muster/testing";
import { test } from "vitest";
import { type CallOptions, makeKey, startEdge } from "./support/start-edge.ts";

const path = "/api/agents";
let guesses = 0;

/** A well-formed credential of no principal. */
function wrong(headers: Record<string, string> = {}): CallOptions {
  guesses += 1;
  return { key: `svc_sk_${String(guesses).padStart(32, "0")}`, headers };
}

test("an address that has sent too many wrong credentials is told to wait", async (t) => {
  const edge = await startEdge(t, {}, { authFailuresPerMinute: 3 });
  for (let i = 0; i < 3; i++) assert.equal((await edge.call("GET", path, wrong())).status, 401);
  const refused = await edge.call("GET", path, wrong());
  assert.deepEqual([refused.status, refused.json.code], [429, "RATE_LIMITED"]);
  const waitS = Number(refused.headers.get("retry-after"));
  assert.ok(waitS >= 1 && waitS <= 60, String(waitS));
});

test("the same wrong credential counts each time", async (t) => {
  const edge = await startEdge(t, {}, { authFailuresPerMinute: 3 });
  const one = wrong();
  for (let i = 0; i < 3; i++) assert.equal((await edge.call("GET", path, one)).status, 401);
  assert.equal((await edge.call("GET", path, one)).status, 429);
});

test("a right credential keeps working at an address that sends wrong ones", async (t) => {
  const edge = await startEdge(t, {}, { authFailuresPerMinute: 2, authCacheMs: 0 });
  assert.equal((await edge.call("GET", path)).status, 200);
  for (let i = 0; i < 4; i++) await edge.call("GET", path, wrong());
  assert.equal((await edge.call("GET", path)).status, 200);
});

test("new credentials work while hundreds of well-formed wrong ones of the same address wait to be checked", async (t) => {
  const edge = await startEdge(t, {}, { authFailuresPerMinute: 2 });
  const keys = await Promise.all(Array.from({ length: 5 }, () => makeKey(edge, { permissions: ["agents"] })));
  const statuses = new Set<number>();
  const flood = Array.from({ length: 300 }, async () => {
    const { status } = await edge.call("GET", path, { key: newCredential("token", randomBytes) });
    statuses.add(status);
  });
  const right = await Promise.all(keys.map(({ key }) => edge.call("GET", path, { key })));
  assert.deepEqual([...new Set(right.map(({ status }) => status))], [200]);
  await Promise.all(flood);
  assert.ok(statuses.has(429), [...statuses].join());
});

test("a burst of requests with one new credential counts as one attempt", async (t) => {
  const edge = await startEdge(t, {}, { authFailuresPerMinute: 1 });
  const { key } = await makeKey(edge, { permissions: ["agents"] });
  const burst = await Promise.all(Array.from({ length: 100 }, () => edge.call("GET", path, { key })));
  assert.deepEqual([...new Set(burst.map(({ status }) => status))], [200]);
});

test("a revoked credential is refused at an address that sends wrong ones", async (t) => {
  const edge = await startEdge(t, {}, { authFailuresPerMinute: 2 });
  const { id, key } = await makeKey(edge, { permissions: ["agents"] });
  assert.equal((await edge.call("GET", path, { key })).status, 200);
  for (let i = 0; i < 4; i++) await edge.call("GET", path, wrong());
  assert.equal((await edge.call("DELETE", `/api/admin/keys/${id}`)).status, 200);
  // The event that revokes the cached credential follows the response.
  await until(async () => [401, 429].includes((await edge.call("GET", path, { key })).status));
});

test("wrong credentials count per client behind a trusted proxy", async (t) => {
  const edge = await startEdge(t, {}, { authFailuresPerMinute: 1, trustedProxies: ["127.0.0.1"] });
  const from = (address: string) => edge.call("GET", path, wrong({ "x-forwarded-for": address }));
  assert.deepEqual([(await from("192.0.2.1")).status, (await from("192.0.2.1")).status], [401, 429]);
  assert.equal((await from("192.0.2.2")).status, 401);
});

test("requests without a credential do not count, and a limit of 0 means no limit", async (t) => {
  const limited = await startEdge(t, {}, { authFailuresPerMinute: 1 });
  for (let i = 0; i < 3; i++) assert.equal((await limited.call("GET", path, { key: null })).status, 401);
  const open = await startEdge(t, {}, { authFailuresPerMinute: 0 });
  for (let i = 0; i < 100; i++) assert.equal((await open.call("GET", path, wrong())).status, 401);
});
