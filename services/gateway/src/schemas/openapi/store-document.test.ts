import assert from "node:assert/strict";
import { nextTurn } from "@muster/large-data";
import fastify from "fastify";
import { test, vi } from "vitest";
import { startEdge } from "../../../test/support/start-edge.ts";
import { openApiParts } from "./open-api-parts.ts";
import { storeDocument } from "./store-document.ts";

test("the document is made once, and readers get stored bytes, or 304 if they have them", async (t) => {
  const edge = await startEdge(t);
  const first = await edge.call("GET", "/openapi.json", { key: null });
  const stringify = vi.spyOn(JSON, "stringify");
  const second = await edge.call("GET", "/openapi.json", { key: null });
  const longest = Math.max(...stringify.mock.results.map(({ value }) => String(value).length));
  assert.ok(longest < 1_000, `${longest} characters of JSON were made`);
  assert.equal(second.text, first.text);
  assert.ok(Number(second.headers.get("content-length")) < Buffer.byteLength(first.text) / 5);
  const etag = second.headers.get("etag") ?? "";
  assert.equal(etag, first.headers.get("etag"));
  const headers = { "if-none-match": etag };
  assert.equal((await edge.call("GET", "/openapi.json", { key: null, headers })).status, 304);
});

test("the parts of the document that take long are made in a tick of the main loop each, once for all who wait", async (t) => {
  const now = performance.now.bind(performance);
  let chargedMs = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + chargedMs);
  t.onTestFinished(() => clock.mockRestore());
  const app = fastify();
  const made: string[] = [];
  let inTick = 0;
  let most = 0;
  for (const { decorator } of openApiParts) {
    app.decorate(decorator, () => {
      made.push(decorator);
      chargedMs += 1_000;
      most = Math.max(most, ++inTick);
      setImmediate(() => {
        inTick = 0;
      });
      return { paths: {} };
    });
  }
  await nextTurn();
  const documentFor = storeDocument(app, "http://one.example");
  app.get("/", async (request) => (await documentFor(request)).data.version);
  const [one, other] = await Promise.all([app.inject("/"), app.inject("/")]);
  assert.equal(one.body, other.body);
  assert.deepEqual(
    made,
    openApiParts.map(({ decorator }) => decorator),
  );
  assert.equal(most, 1);
});

test("a document for an address beyond those that are kept is sent without compression", async (t) => {
  const edge = await startEdge(t, {}, { trustedProxies: ["127.0.0.0/8"] });
  const encodings = [];
  for (let i = 0; i < 10; i++) {
    const headers = { "x-forwarded-host": `${i}.example` };
    const answer = await edge.call("GET", "/openapi.json", { key: null, headers });
    assert.equal(answer.json.servers[0].url, `http://${i}.example`);
    encodings.push(answer.headers.get("content-encoding"));
  }
  assert.deepEqual(encodings, [...Array(8).fill("gzip"), null, null]);
});

test("another address of the server has another document with another tag", async (t) => {
  const edge = await startEdge(t, {}, { trustedProxies: ["127.0.0.0/8"] });
  const read = (host: string) =>
    edge.call("GET", "/openapi.json", { key: null, headers: { "x-forwarded-host": host } });
  const [one, other, again] = [
    await read("one.example"),
    await read("other.example"),
    await read("one.example"),
  ];
  assert.equal(one.json.servers[0].url, "http://one.example");
  assert.equal(other.json.servers[0].url, "http://other.example");
  assert.notEqual(one.headers.get("etag"), other.headers.get("etag"));
  assert.deepEqual([again.text, again.headers.get("etag")], [one.text, one.headers.get("etag")]);
});
