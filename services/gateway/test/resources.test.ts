import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { agentBody, startEdge } from "./support/start-edge.ts";

describe("agents", () => {
  test("an agent and its list item have exactly the fields of the interface, with times in ISO 8601", async (t) => {
    const edge = await startEdge(t);
    const references = [{ name: "prices", description: "What it costs", content: "One euro." }];
    const body = agentBody("echo", { references });
    const { agentId } = (await edge.call("POST", "/api/agents", { body })).json;
    const {
      id,
      settings,
      protocol,
      prompts,
      references: kept,
    } = (await edge.call("GET", `/api/agents/${agentId}`)).json;
    assert.deepEqual({ id, settings, protocol, prompts, references: kept }, { id: agentId, ...body });
    const [item] = (await edge.call("GET", "/api/agents")).json.agents;
    const { createdAt, updatedAt, ...fields } = item;
    for (const time of [createdAt, updatedAt]) assert.equal(new Date(time).toISOString(), time);
    const { slug, name, format } = settings;
    assert.deepEqual(fields, { id: agentId, slug, name, description: null, format, projectId: "default" });
  });
});

describe("keys and projects", () => {
  test("a key is shown once, listed without its secret, and gone after its deletion", async (t) => {
    const edge = await startEdge(t);
    const created = await edge.call("POST", "/api/admin/keys", {
      body: { name: "CI", permissions: ["sessions", "agents"], expiresAt: "2099-01-01T00:00:00+01:00" },
    });
    assert.equal(created.status, 201);
    assert.equal(created.headers.get("cache-control"), "no-store");
    const { id, key, ...rest } = created.json;
    assert.match(key, /^svc_sk_/);
    assert.deepEqual(
      { ...rest, createdAt: 0 },
      {
        name: "CI",
        permissions: ["sessions", "agents"],
        projectId: "default",
        agentId: null,
        createdAt: 0,
        expiresAt: "2098-12-31T23:00:00.000Z",
        limits: { monthlyUsd: null, monthlyTokens: null },
      },
    );
    const listed = await edge.call("GET", "/api/admin/keys");
    assert.ok(!listed.text.includes(key));
    assert.equal(listed.json.keys.find((each: { id: string }) => each.id === id).name, "CI");
    assert.deepEqual((await edge.call("DELETE", `/api/admin/keys/${id}`)).json, { id, deleted: true });
    assert.equal((await edge.call("DELETE", `/api/admin/keys/${id}`)).status, 200);
    assert.equal((await edge.call("DELETE", "/api/admin/keys/key_none")).status, 404);
  });

  test("invalid fields of a key are 400 with their paths", async (t) => {
    const edge = await startEdge(t);
    const path = async (fields: Record<string, unknown>) => {
      const { status, json } = await edge.call("POST", "/api/admin/keys", {
        body: { name: "x", permissions: ["sessions"], ...fields },
      });
      return `${status} ${json.issues?.[0]?.path}`;
    };
    assert.equal(await path({ permissions: ["root"] }), "400 permissions.0");
    assert.equal(await path({ expiresAt: "tomorrow" }), "400 expiresAt");
    assert.equal(await path({ expiresAt: "2020-01-01T00:00:00Z" }), "400 expiresAt");
    assert.equal(await path({ expiresAt: "2099-01-01" }), "400 expiresAt");
    assert.equal(await path({ expiresAt: "2099-02-30T00:00:00Z" }), "400 expiresAt");
    assert.equal(await path({ expiresAt: "9999-12-31T23:59:59-12:00" }), "400 expiresAt");
    assert.equal(await path({ name: "" }), "400 name");
    assert.equal(await path({ projectId: "prj_none" }), "404 projectId");
    assert.equal((await edge.call("GET", "/api/admin/keys")).json.keys.length, 1);
  });
});
