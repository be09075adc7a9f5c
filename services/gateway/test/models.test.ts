import assert from "node:assert/strict";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { type Edge, startEdge } from "./support/start-edge.ts";

const path = "/api/models";

const scope = suiteScope();
let edge: Edge;
beforeAll(async () => {
  edge = await startEdge(scope);
});

describe("GET /api/models", () => {
  test("GET /api/models lists all models without a key, each with exactly the fields of the contract", async (t) => {
    const edge = await startEdge(t, {}, { bandwidthPer1M: "0.05" });
    const { status, json, headers } = await edge.call("GET", path, { key: null });
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "application/json; charset=utf-8");
    assert.equal(headers.get("cache-control"), "public, max-age=300");
    const sonnet = json.models.find(({ id }: { id: string }) => id === "anthropic/claude-sonnet-4-5");
    assert.deepEqual(sonnet, {
      id: "anthropic/claude-sonnet-4-5",
      name: "Claude Sonnet 4.5",
      provider: "anthropic",
      routing: "direct",
      contextLength: 200_000,
      pricing: {
        inputPer1M: "3",
        outputPer1M: "15",
        cacheReadPer1M: "0.3",
        reasoningPer1M: null,
        bandwidthPer1M: "0.05",
        tiers: [{ minInputTokens: 200_001, inputPer1M: "6", outputPer1M: "22.5" }],
      },
    });
  });

  test("GET /api/models filters by provider, and an unknown provider has no models", async () => {
    const providersOf = async (query: string) => {
      const { status, json } = await edge.call("GET", path + query);
      assert.equal(status, 200);
      return [...new Set(json.models.map(({ provider }: { provider: string }) => provider))];
    };
    assert.deepEqual(await providersOf("?provider=google"), ["google"]);
    assert.deepEqual(await providersOf("?provider=aggregator&other=1"), ["aggregator"]);
    for (const unknown of ["nobody", "", "Google", "google%2F", "__proto__", "x".repeat(4_000)]) {
      assert.deepEqual(await providersOf(`?provider=${unknown}`), []);
    }
  });

  test("a repeated provider filter is 400", async () => {
    const { status, json } = await edge.call("GET", `${path}?provider=google&provider=xai`);
    assert.deepEqual([status, json.code, json.issues[0].path], [400, "INVALID_REQUEST", "query.provider"]);
  });

  test("the ETag of the models differs by filter, and an unchanged list is not sent again", async () => {
    const get = (query = "", tag?: string) =>
      edge.call("GET", path + query, tag === undefined ? {} : { headers: { "if-none-match": tag } });
    const etag = (await get()).headers.get("etag") ?? "";
    assert.match(etag, /^"[\w-]{22}-gzip"$/);
    assert.equal((await get()).headers.get("etag"), etag);
    for (const same of [etag, `W/${etag}`, `"other", ${etag}`, `"a,b",W/${etag}`, "*"]) {
      const { status, text, headers } = await get("", same);
      assert.deepEqual([status, text, headers.get("etag")], [304, "", etag], same);
      assert.equal(headers.get("cache-control"), "public, max-age=300");
    }
    for (const other of ['"other"', etag.slice(1, -1), '"', "", "garbage", `${etag.slice(0, -1)}`]) {
      assert.equal((await get("", other)).status, 200, other);
    }
    assert.equal((await get("?provider=google", etag)).status, 200);
  });

  test("HEAD /api/models responds like GET, without the body", async () => {
    const [got, head] = [await edge.call("GET", path), await edge.call("HEAD", path)];
    assert.deepEqual([head.status, head.text], [200, ""]);
    for (const name of ["etag", "cache-control", "content-type", "content-encoding", "content-length"]) {
      assert.equal(head.headers.get(name), got.headers.get(name));
    }
    assert.equal((await edge.call("POST", path)).status, 405);
    assert.equal((await edge.call("GET", path, { headers: { accept: "text/html" } })).status, 406);
  });
});
