import assert from "node:assert/strict";
import { permissions } from "@muster/rpc";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { agentBody, type Edge, makeKey, startEdge } from "./support/start-edge.ts";

const create = (edge: Edge, fields: Record<string, unknown>, key?: string) =>
  edge.call("POST", "/api/admin/keys", {
    body: { name: "k", permissions: ["sessions"], ...fields },
    ...(key === undefined ? {} : { key }),
  });

async function createAgent(edge: Edge, slug: string, headers = {}): Promise<string> {
  const { status, json, text } = await edge.call("POST", "/api/agents", { body: agentBody(slug), headers });
  assert.equal(status, 201, text);
  return json.agentId;
}

const scope = suiteScope();
let edge: Edge;
beforeAll(async () => {
  edge = await startEdge(scope);
});

describe("keys for one agent", () => {
  test("a key that was stored with admin and agentId neither lists, creates nor deletes keys or projects", async () => {
    const { id, key } = await makeKey(edge, { permissions: ["sessions", "admin"] });
    await edge.bindStoredKey(id, "agt_1");
    for (const [method, path, body] of [
      ["GET", "/api/admin/keys"],
      ["POST", "/api/admin/keys", { name: "k", permissions: ["sessions"], agentId: "agt_1" }],
      ["DELETE", "/api/admin/keys/key_bootstrap"],
      ["POST", "/api/admin/projects", { name: "p" }],
      ["GET", "/api/admin/projects"],
    ] as const) {
      const answer = await edge.call(method, path, { key, body });
      assert.deepEqual([answer.status, answer.json.code], [403, "FORBIDDEN"], `${method} ${path}`);
      assert.match(answer.json.error, /one agent cannot administer a project/);
    }
    assert.equal((await edge.call("GET", "/api/credential", { key })).status, 200);
  });

  test("a key is refused for an agent that its project does not have", async () => {
    const { id: projectId } = (await edge.call("POST", "/api/admin/projects", { body: { name: "p" } })).json;
    const here = await createAgent(edge, "here");
    const there = await createAgent(edge, "there", { "x-project-id": projectId });
    const { key: plainAdmin } = await makeKey(edge, { permissions: ["admin", "sessions"] });
    for (const [fields, key] of [
      [{ agentId: "agt_nobody" }],
      [{ agentId: "here" }],
      [{ agentId: there }],
      [{ agentId: here, projectId }],
      [{ agentId: there }, plainAdmin],
    ] as const) {
      const refused = await create(edge, fields, key);
      assert.deepEqual([refused.status, refused.json.code], [400, "INVALID_REQUEST"], JSON.stringify(fields));
      assert.equal(refused.json.issues[0].path, "agentId");
    }
    assert.equal((await create(edge, { agentId: here })).json.agentId, here);
    assert.equal((await create(edge, { agentId: here }, plainAdmin)).json.agentId, here);
    assert.equal((await create(edge, { agentId: there, projectId })).json.projectId, projectId);
    const foreign = await create(edge, { agentId: there, projectId }, plainAdmin);
    assert.deepEqual([foreign.status, foreign.json.code], [403, "FORBIDDEN"]);
  });

  test("a key for one agent has approve by name, but never beside workforce", async () => {
    const agentId = await createAgent(edge, "desk");
    const made = await create(edge, { agentId, permissions: ["sessions", "approve"] });
    const { json } = await edge.call("GET", "/api/credential", { key: made.json.key });
    assert.deepEqual(json.permissions, ["sessions", "approve"]);
    const refused = await create(edge, { agentId, permissions: ["workforce", "approve"] });
    assert.deepEqual([refused.status, refused.json.code], [400, "INVALID_REQUEST"]);
    assert.match(refused.json.issues[0].message, /own key cannot approve/);
    assert.equal((await create(edge, { permissions: ["workforce", "approve"] })).status, 201);
  });

  test("a key with only the permission admin creates agents, keys with any permission for them, and tokens", async () => {
    const { key } = await makeKey(edge, { permissions: ["admin"] });
    const agent = await edge.call("POST", "/api/agents", { key, body: agentBody("echo") });
    assert.equal(agent.status, 201, agent.text);
    const { agentId } = agent.json;
    assert.equal((await create(edge, { agentId }, key)).status, 201);
    const body = { name: "all", permissions: [...permissions] };
    assert.equal((await edge.call("POST", "/api/admin/keys", { key, body })).status, 201);
    const minted = await edge.call("POST", "/api/tokens", { key, body: { agentId } });
    assert.equal(minted.status, 201, minted.text);
    assert.equal((await edge.call("GET", "/api/agents", { key: minted.json.token })).status, 403);
  });
});
