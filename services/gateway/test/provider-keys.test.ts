import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { type Edge, startEdge } from "./support/start-edge.ts";

const path = (provider = "openai", project = "default") =>
  `/api/admin/projects/${project}/provider-keys${provider && `/${provider}`}`;
const key = "sk-0123456789-secret-WXYZ";
const put = (edge: Edge, body: unknown, provider?: string, project?: string) =>
  edge.call("PUT", path(provider, project), { body });

describe("the provider keys of a project", () => {
  test("a key is set, replaced, listed without itself and deleted once", async (t) => {
    const edge = await startEdge(t);
    const set = await put(edge, { key });
    assert.equal(set.status, 200, set.text);
    const { createdAt, updatedAt } = set.json;
    assert.deepEqual(set.json, { provider: "openai", lastFour: "WXYZ", createdAt, updatedAt: createdAt });
    assert.equal(updatedAt, createdAt);
    const short = await put(edge, { key: "short" });
    assert.deepEqual([short.json.lastFour, short.json.createdAt], [null, createdAt]);
    const listed = await edge.call("GET", path(""));
    assert.deepEqual(listed.json, { providerKeys: [short.json] });
    for (const { text } of [set, listed]) assert.ok(!text.includes(key));
    const remove = () => edge.call("DELETE", path());
    assert.deepEqual((await remove()).json, { provider: "openai", deleted: true });
    assert.deepEqual((await remove()).json, { provider: "openai", deleted: false });
    assert.deepEqual((await edge.call("GET", path(""))).json, { providerKeys: [] });
  });

  test("a wrong key or body is 400, names the field, and is not repeated", async (t) => {
    const edge = await startEdge(t);
    for (const body of [
      {},
      [],
      { key: null },
      { key: 7 },
      { key: "" },
      { key: "secret words" },
      { key: "secret\n" },
      { key: "secret\u0000" },
      { key: "sécret" },
      { key: "s".repeat(4_097) },
    ]) {
      const { status, json, text } = await put(edge, body);
      assert.deepEqual([status, json.code], [400, "INVALID_REQUEST"], JSON.stringify(body).slice(0, 40));
      assert.ok(!text.includes("secret") && !text.includes("sécret") && !text.includes("sssss"));
    }
    assert.deepEqual((await edge.call("GET", path(""))).json.providerKeys, []);
    assert.equal((await put(edge, { key: "s".repeat(4_096) })).status, 200);
  });

  test("an unknown provider is 400 with the list of providers, demo among the unknown ones", async (t) => {
    const edge = await startEdge(t);
    for (const provider of ["nobody", "demo", "OpenAI", "__proto__", "constructor"]) {
      for (const answer of [await put(edge, { key }, provider), await edge.call("DELETE", path(provider))]) {
        assert.deepEqual([answer.status, answer.json.code], [400, "INVALID_REQUEST"], provider);
        assert.match(answer.json.error, /anthropic, openai/);
      }
    }
  });
});
