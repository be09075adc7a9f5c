import assert from "node:assert/strict";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ProviderStatus } from "@muster/proto/sessions";
import { permissions, Reason, rpcError } from "@muster/rpc";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { agentBody, type Edge, makeKey, type ScriptedSessions, startEdge } from "./support/start-edge.ts";

const checked: ScriptedSessions = {
  checkProviders: async () => ({
    providers: [
      { name: "openai", status: ProviderStatus.OK, checkedAt: timestampFromMs(0), usesProjectKey: true },
      { name: "xai", status: ProviderStatus.KEY_REFUSED, message: "No.", checkedAt: timestampFromMs(0) },
      { name: "local", status: ProviderStatus.UNREACHABLE, message: "Gone.", checkedAt: timestampFromMs(0) },
      { name: "google", status: ProviderStatus.NOT_CONFIGURED, message: "Set it." },
      { name: "demo", status: ProviderStatus.OK },
    ],
  }),
};

const scope = suiteScope();
let edge: Edge;
beforeAll(async () => {
  edge = await startEdge(scope);
});

describe("GET /api/credential", () => {
  test("GET /api/credential returns the permissions of any key, for admin all of them", async () => {
    for (const permission of permissions) {
      const { id, key } = await makeKey(edge, { permissions: [permission] });
      const answer = await edge.call("GET", "/api/credential", { key });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.headers.get("cache-control"), "no-store");
      assert.deepEqual(answer.json, {
        type: "key",
        keyId: id,
        projectId: "default",
        anyProject: false,
        permissions: permission === "admin" ? permissions : [permission],
        agentId: null,
        sessionId: null,
        loginId: null,
      });
    }
  });

  test("GET /api/credential names the agent of an agent key", async () => {
    const { agentId } = (await edge.call("POST", "/api/agents", { body: agentBody("echo") })).json;
    const { key } = await makeKey(edge, { agentId });
    assert.equal((await edge.call("GET", "/api/credential", { key })).json.agentId, agentId);
  });

  test("GET /api/credential names the project of the request, which X-Project-Id may select", async () => {
    const { json: project } = await edge.call("POST", "/api/admin/projects", { body: { name: "Other" } });
    const elsewhere = { headers: { "x-project-id": project.id } };
    const { json } = await edge.call("GET", "/api/credential", elsewhere);
    assert.deepEqual([json.projectId, json.anyProject], [project.id, true]);
    assert.deepEqual(json.permissions, [
      "sessions",
      "agents",
      "mint-tokens",
      "workforce",
      "approve",
      "admin",
    ]);
    const { key } = await makeKey(edge);
    assert.equal((await edge.call("GET", "/api/credential", { key, ...elsewhere })).status, 403);
    const unknown = { headers: { "x-project-id": "prj_none" } };
    assert.equal((await edge.call("GET", "/api/credential", unknown)).status, 404);
  });
});

describe("GET /api/providers", () => {
  test("GET /api/providers returns the status of each provider, with null for absent fields", async (t) => {
    const edge = await startEdge(t, checked);
    const checkedAt = "1970-01-01T00:00:00.000Z";
    const answer = await edge.call("GET", "/api/providers");
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.deepEqual(answer.json, {
      providers: [
        { name: "openai", status: "ok", message: null, projectKey: true, checkedAt },
        { name: "xai", status: "key_refused", message: "No.", projectKey: false, checkedAt },
        { name: "local", status: "unreachable", message: "Gone.", projectKey: false, checkedAt },
        { name: "google", status: "not_configured", message: "Set it.", projectKey: false, checkedAt: null },
        { name: "demo", status: "ok", message: null, projectKey: false, checkedAt: null },
      ],
    });
  });

  test("a refusal of the sessions service keeps its code in GET /api/providers", async (t) => {
    const edge = await startEdge(t, {
      checkProviders: async () => Promise.reject(rpcError(Reason.FORBIDDEN, "Not you.")),
    });
    const answer = await edge.call("GET", "/api/providers");
    assert.deepEqual([answer.status, answer.json.error], [403, "Not you."]);
  });
});
