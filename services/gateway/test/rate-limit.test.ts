import assert from "node:assert/strict";
import { describe, test, vi } from "vitest";
import { type Answer, type CallOptions, exchange, startEdge } from "./support/start-edge.ts";

const path = "/api/models";

describe("the limit of GET /api/models", () => {
  const limits = ({ headers }: Answer) =>
    ["limit", "remaining"].map((name) => Number(headers.get(`ratelimit-${name}`)));

  test("the models limit counts every response and, once reached, says when to try again", async (t) => {
    const edge = await startEdge(t, {}, { modelsRateLimitPerMinute: 4 });
    const first = await edge.call("GET", path);
    assert.deepEqual(limits(first), [4, 3]);
    const unchanged = { headers: { "if-none-match": first.headers.get("etag") ?? "" } };
    assert.deepEqual(limits(await edge.call("GET", path, unchanged)), [4, 2]);
    assert.deepEqual(limits(await edge.call("HEAD", path)), [4, 1]);
    assert.deepEqual(limits(await edge.call("GET", `${path}?provider=a&provider=b`)), [4, 0]);

    const refused = await edge.call("GET", path, unchanged);
    assert.deepEqual([refused.status, refused.json.code], [429, "RATE_LIMITED"]);
    assert.equal(refused.json.requestId, refused.headers.get("x-request-id"));
    assert.deepEqual(limits(refused), [4, 0]);
    const [wait, reset] = ["retry-after", "ratelimit-reset"].map((name) => Number(refused.headers.get(name)));
    assert.ok(wait !== undefined && wait >= 1 && wait <= 60, String(wait));
    assert.equal(reset, wait);
    assert.equal(refused.headers.get("etag"), null);
    assert.equal((await edge.call("GET", "/healthz")).status, 200, "other routes still respond");
  });

  test("the models limit resets after a minute", async (t) => {
    const edge = await startEdge(t, {}, { modelsRateLimitPerMinute: 1 });
    const statusOf = async () => (await edge.call("GET", path)).status;
    let skippedMs = 0;
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + skippedMs);
    t.onTestFinished(() => clock.mockRestore());
    assert.deepEqual([await statusOf(), await statusOf()], [200, 429]);
    skippedMs = 20_000;
    assert.equal(await statusOf(), 429);
    skippedMs = 60_000;
    assert.equal(await statusOf(), 200);
  });

  test("a models limit of 0 means no limit", async (t) => {
    const edge = await startEdge(t, {}, { modelsRateLimitPerMinute: 0 });
    for (let request = 0; request < 100; request += 1) {
      const { status, headers } = await edge.call("HEAD", path);
      assert.deepEqual([status, headers.get("ratelimit-limit")], [200, null]);
    }
  });

  test("the models limit defaults to 60 a minute", async (t) => {
    const edge = await startEdge(t);
    assert.deepEqual(limits(await edge.call("HEAD", path)), [60, 59]);
  });
});

describe("clients of the limit", () => {
  const forwarded = (value: string): CallOptions => ({ headers: { "x-forwarded-for": value } });

  test("without trusted proxies, the limit counts connections and ignores X-Forwarded-For", async (t) => {
    const edge = await startEdge(t, {}, { modelsRateLimitPerMinute: 2 });
    const statuses = [];
    for (const spoofed of ["192.0.2.1", "192.0.2.2", "192.0.2.3"]) {
      statuses.push((await edge.call("HEAD", path, forwarded(spoofed))).status);
    }
    assert.deepEqual(statuses, [200, 200, 429]);
  });

  const behindProxies: Array<[title: string, first: string, second: string, isSame: boolean]> = [
    ["two addresses count as two clients", "192.0.2.1", "192.0.2.2", false],
    [
      "entries that a client puts before its address are ignored",
      "8.8.8.8, 192.0.2.1",
      "9.9.9.9, 192.0.2.1",
      true,
    ],
    ["trusted addresses are skipped", "192.0.2.1, 10.0.0.1", "192.0.2.1, 10.9.9.9, 10.0.0.2", true],
    ["a client cannot hide behind a trusted address", "10.0.0.1, 192.0.2.1", "10.0.0.2, 192.0.2.1", true],
    ["a client's port is ignored", "192.0.2.1:1000", "192.0.2.1:2000", true],
    ["a trusted proxy's port is ignored", "192.0.2.1, 10.0.0.1:443", "192.0.2.2, 10.0.0.1:443", false],
    ["IPv4 written as IPv6 counts as the same address", "192.0.2.1", "::ffff:192.0.2.1", true],
    ["IPv6 addresses of one /64 count as one client", "2001:db8:0:1::1", "[2001:db8:0:1:ffff::2]:443", true],
    ["IPv6 addresses of two /64 networks count as two clients", "2001:db8:0:1::1", "2001:db8:0:2::1", false],
    ["a value that is not an address counts as the proxy", "unknown", "another, _hidden", true],
    [
      "a number is not an address and counts as the proxy",
      "192.0.2.1, 167772161",
      "192.0.2.2, 167772161",
      true,
    ],
  ];
  for (const [title, first, second, isSame] of behindProxies) {
    test(`the rate limit behind trusted proxies: ${title}`, async (t) => {
      const trustedProxies = ["127.0.0.0/8", "::1", "10.0.0.0/8"];
      const edge = await startEdge(t, {}, { modelsRateLimitPerMinute: 1, trustedProxies });
      assert.equal((await edge.call("HEAD", path, forwarded(first))).status, 200);
      assert.equal((await edge.call("HEAD", path, forwarded(second))).status, isSame ? 429 : 200);
    });
  }

  test("several X-Forwarded-For headers form one list", async (t) => {
    const edge = await startEdge(t, {}, { modelsRateLimitPerMinute: 1, trustedProxies: ["127.0.0.1"] });
    const ask = (lines: string[]) =>
      exchange(
        edge.url,
        [`HEAD ${path} HTTP/1.1`, "Host: a", ...lines, "Connection: close", "", ""].join("\r\n"),
      );
    assert.match(await ask(["X-Forwarded-For: 8.8.8.8", "X-Forwarded-For: 192.0.2.1"]), /^HTTP\/1.1 200/);
    assert.match(await ask(["X-Forwarded-For: 9.9.9.9", "X-Forwarded-For: 192.0.2.1"]), /^HTTP\/1.1 429/);
    assert.match(await ask(["X-Forwarded-For: 192.0.2.1", "X-Forwarded-For: 192.0.2.9"]), /^HTTP\/1.1 200/);
  });
});
