import assert from "node:assert/strict";
import { once } from "node:events";
import { StreamReader } from "@muster/testing";
import { describe, test } from "vitest";
import { makeKey, startEdge } from "./support/start-edge.ts";

const path = "/api/credential";
const none = { perAddress: 0, perCredential: 0, perProject: 0 };

const rateOf = ({ headers }: { headers: Headers }) =>
  ["ratelimit-limit", "ratelimit-remaining"].map((name) => headers.get(name));

/**
 * Counts that gateways share begin again with each minute of the clock, so a measurement across its end is repeated.
 */
async function withinOneMinute<T>(measure: () => Promise<T>): Promise<T> {
  for (;;) {
    const minute = Math.floor(Date.now() / 60_000);
    const result = await measure();
    if (Math.floor(Date.now() / 60_000) === minute) return result;
  }
}

describe("rate limits", () => {
  test("by default, an authenticated caller has none", async (t) => {
    const edge = await startEdge(t);
    for (let n = 0; n < 100; n++) {
      const answer = await edge.call("GET", path);
      assert.deepEqual([answer.status, rateOf(answer)], [200, [null, null]]);
    }
  });

  test("a key has its own count, and the response says what is left", async (t) => {
    const edge = await startEdge(t, {}, { rateLimits: { ...none, perCredential: 3 }, isOnlyGateway: true });
    const { key } = await makeKey(edge);
    for (const left of ["2", "1", "0"]) {
      const answer = await edge.call("GET", path, { key });
      assert.deepEqual([answer.status, rateOf(answer)], [200, ["3", left]]);
      const resetS = Number(answer.headers.get("ratelimit-reset"));
      assert.ok(resetS >= 1 && resetS <= 60, String(resetS));
    }
    const refused = await edge.call("GET", path, { key });
    assert.deepEqual([refused.status, refused.json.code, rateOf(refused)], [429, "RATE_LIMITED", ["3", "0"]]);
    const waitS = Number(refused.headers.get("retry-after"));
    assert.ok(waitS >= 1 && waitS <= 60, String(waitS));
    assert.match(refused.json.error, /^This key or token may send 3 requests a minute\./);
    assert.equal((await edge.call("GET", path)).status, 200, "another key");
  });

  test("requests that a key may not send count for it and its project, and say what is left", async (t) => {
    const rateLimits = { ...none, perCredential: 3, perProject: 100 };
    const edge = await startEdge(t, {}, { rateLimits, isOnlyGateway: true });
    const { key } = await makeKey(edge, { permissions: ["sessions"] });
    const forbidden = () => edge.call("GET", "/api/admin/keys", { key });
    for (const left of ["2", "1", "0"]) {
      const answer = await forbidden();
      assert.deepEqual([answer.status, rateOf(answer)], [403, ["3", left]]);
    }
    assert.equal((await forbidden()).status, 429);
    assert.equal((await edge.call("GET", path, { key })).status, 429);
  });

  test("requests that a project's keys may not send count for the project", async (t) => {
    const edge = await startEdge(t, {}, { rateLimits: { ...none, perProject: 4 }, isOnlyGateway: true });
    const { json: project } = await edge.call("POST", "/api/admin/projects", { body: { name: "Other" } });
    const { key } = await makeKey(edge, { projectId: project.id, permissions: ["sessions"] });
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) statuses.push((await edge.call("GET", "/api/admin/keys", { key })).status);
    assert.deepEqual(statuses, [403, 403, 403, 403, 429]);
  });

  test("the keys of a project share the project's count", async (t) => {
    const edge = await startEdge(t, {}, { rateLimits: { ...none, perProject: 4 }, isOnlyGateway: true });
    const { json: project } = await edge.call("POST", "/api/admin/projects", { body: { name: "Other" } });
    const keys = [
      await makeKey(edge, { projectId: project.id }),
      await makeKey(edge, { projectId: project.id }),
    ];
    const statuses: number[] = [];
    for (const { key } of [...keys, ...keys, ...keys])
      statuses.push((await edge.call("GET", path, { key })).status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429]);
  });

  test("an address is limited before its credential is checked, by the address that a trusted proxy reports", async (t) => {
    const edge = await startEdge(
      t,
      {},
      { rateLimits: { ...none, perAddress: 2 }, isOnlyGateway: true, trustedProxies: ["127.0.0.1"] },
    );
    const from = (address: string, key?: string | null) =>
      edge.call("GET", path, {
        ...(key === undefined ? {} : { key }),
        headers: { "x-forwarded-for": address },
      });
    assert.deepEqual([(await from("192.0.2.1")).status, (await from("192.0.2.1", null)).status], [200, 401]);
    const refused = await from("192.0.2.1");
    assert.deepEqual([refused.status, refused.json.code], [429, "RATE_LIMITED"]);
    assert.equal((await from("192.0.2.2")).status, 200);
    const health = await edge.call("GET", "/healthz", {
      key: null,
      headers: { "x-forwarded-for": "192.0.2.1" },
    });
    assert.equal(health.status, 200);
  });

  test("of several limits, the response describes the one that leaves the fewest requests", async (t) => {
    const rateLimits = { perAddress: 10, perCredential: 5, perProject: 7 };
    const edge = await startEdge(t, {}, { rateLimits });
    assert.deepEqual(rateOf(await edge.call("GET", path)), ["5", "4"]);
  });

  test("a stream says what is left", async (t) => {
    const edge = await startEdge(
      t,
      {
        trigger: async function* (_request, { signal }) {
          yield { events: [{ sequence: 1, type: "start", json: '{"type":"start"}' }] };
          await once(signal, "abort");
        },
      },
      { rateLimits: { ...none, perCredential: 9 }, drainMs: 0 },
    );
    const leaving = new AbortController();
    const response = await fetch(`${edge.url}/api/agent-sessions/ses_1/trigger`, {
      method: "POST",
      headers: { authorization: `Bearer ${edge.adminKey}`, "content-type": "application/json" },
      body: '{"triggerName":"go"}',
      signal: leaving.signal,
    });
    await new StreamReader(response).readUntil('"start"');
    assert.deepEqual(rateOf(response), ["9", "8"]);
    leaving.abort();
  });

  test("three gateways together admit a key's limit, and at most one request more each", async (t) => {
    const limit = 12;
    const edge = await startEdge(t, {}, { rateLimits: { ...none, perCredential: limit } });
    const all = [edge, await edge.startGateway(), await edge.startGateway()];
    const admitted = await withinOneMinute(async () => {
      const { key } = await makeKey(edge);
      const statuses: number[] = [];
      for (let n = 0; n < 10; n++) {
        const round = await Promise.all(all.map(({ call }) => call("GET", path, { key })));
        statuses.push(...round.map(({ status }) => status));
      }
      return statuses.filter((status) => status === 200).length;
    });
    assert.ok(admitted >= limit && admitted <= limit + all.length, String(admitted));
  });

  test("wrong credentials at one gateway count at another", async (t) => {
    const settings = { authFailuresPerMinute: 9, trustedProxies: ["127.0.0.1"] };
    const edge = await startEdge(t, {}, settings);
    const other = await edge.startGateway();
    let clients = 0;
    const tried = await withinOneMinute(async () => {
      const headers = { "x-forwarded-for": `192.0.2.${++clients}` };
      const wrong = () => ({ key: `svc_sk_${crypto.randomUUID()}`.replaceAll("-", ""), headers });
      for (let n = 0; n < 9; n++) assert.equal((await edge.call("GET", path, wrong())).status, 401);
      let refusedAt = 1;
      while ((await other.call("GET", path, wrong())).status !== 429) refusedAt++;
      assert.equal((await other.call("GET", path, { headers })).status, 200, "a right one still works");
      return refusedAt;
    });
    assert.ok(tried < 10, `alone, it would refuse the tenth one; it refused number ${tried}`);
  });

  test("an auth service that is gone causes no refusal of a known credential", async (t) => {
    const edge = await startEdge(t, {}, { rateLimits: { ...none, perCredential: 20 }, authCacheMs: 600_000 });
    assert.equal((await edge.call("GET", path)).status, 200);
    await edge.stopAuth();
    for (let n = 0; n < 10; n++) assert.equal((await edge.call("GET", path)).status, 200);
  });
});
