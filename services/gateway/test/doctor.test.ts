import assert from "node:assert/strict";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createRouterTransport } from "@connectrpc/connect";
import { createInProcessBus } from "@muster/events";
import { AgentsService } from "@muster/proto/agents";
import { AuthService } from "@muster/proto/auth";
import { RecordingsService } from "@muster/proto/recordings";
import { ProviderStatus, SessionsService } from "@muster/proto/sessions";
import { WorkforceService } from "@muster/proto/workforce";
import { createPrincipalSigner, createRpcClient, permissions, Reason, rpcError } from "@muster/rpc";
import { Secret, silentLogger, systemClock } from "@muster/service";
import { newCredential } from "@muster/service/credentials";
import { describe, test } from "vitest";
import { gatewayDefaults } from "../src/config.ts";
import { createGateway } from "../src/gateway.ts";
import { agentBody, makeKey, type ScriptedSessions, startEdge } from "./support/start-edge.ts";

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

describe("GET /api/credential", () => {
  test("GET /api/credential returns the permissions of any key, for admin all of them", async (t) => {
    const edge = await startEdge(t);
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
      });
    }
  });

  test("GET /api/credential names the agent of an agent key", async (t) => {
    const edge = await startEdge(t);
    const { agentId } = (await edge.call("POST", "/api/agents", { body: agentBody("echo") })).json;
    const { key } = await makeKey(edge, { agentId });
    assert.equal((await edge.call("GET", "/api/credential", { key })).json.agentId, agentId);
  });

  test("GET /api/credential names the project of the request, which X-Project-Id may select", async (t) => {
    const edge = await startEdge(t);
    const { json: project } = await edge.call("POST", "/api/admin/projects", { body: { name: "Other" } });
    const elsewhere = { headers: { "x-project-id": project.id } };
    const { json } = await edge.call("GET", "/api/credential", elsewhere);
    assert.deepEqual([json.projectId, json.anyProject], [project.id, true]);
    assert.deepEqual(json.permissions, ["sessions", "agents", "mint-tokens", "workforce", "admin"]);
    const { key } = await makeKey(edge);
    assert.equal((await edge.call("GET", "/api/credential", { key, ...elsewhere })).status, 403);
    const unknown = { headers: { "x-project-id": "prj_none" } };
    assert.equal((await edge.call("GET", "/api/credential", unknown)).status, 404);
  });

  test("GET /api/credential refuses an invalid key", async (t) => {
    const edge = await startEdge(t);
    assert.equal((await edge.call("GET", "/api/credential", { key: null })).status, 401);
    assert.equal((await edge.call("GET", "/api/credential", { key: "svc_sk_wrong" })).status, 401);
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

  test("GET /api/providers needs the permission sessions or agents, which admin implies", async (t) => {
    const edge = await startEdge(t, checked);
    const statusFor = async (permission: string) => {
      const { key } = await makeKey(edge, { permissions: [permission] });
      return (await edge.call("GET", "/api/providers", { key })).status;
    };
    for (const permission of ["sessions", "agents", "admin"]) assert.equal(await statusFor(permission), 200);
    for (const permission of ["workforce", "mint-tokens"]) assert.equal(await statusFor(permission), 403);
    assert.equal((await edge.call("GET", "/api/providers", { key: null })).status, 401);
  });

  test("a refusal of the sessions service keeps its code in GET /api/providers", async (t) => {
    const edge = await startEdge(t, {
      checkProviders: async () => Promise.reject(rpcError(Reason.FORBIDDEN, "Not you.")),
    });
    const answer = await edge.call("GET", "/api/providers");
    assert.deepEqual([answer.status, answer.json.error], [403, "Not you."]);
  });
});

test("a token for one session can read neither the credential nor the providers", async (t) => {
  const principal = { keyId: "key_1", projectId: "default", permissions: ["sessions"], sessionId: "ses_1" };
  const transport = createRouterTransport(({ service }) => {
    service(AuthService, { authenticate: async () => ({ principal }) });
    service(SessionsService, { checkProviders: () => assert.fail("It was let through") });
  });
  const bus = createInProcessBus({ log: silentLogger });
  const gateway = createGateway(
    { ...gatewayDefaults, port: 0 },
    {
      auth: createRpcClient(AuthService, transport),
      agents: createRpcClient(AgentsService, transport),
      sessions: createRpcClient(SessionsService, transport),
      workforce: createRpcClient(WorkforceService, transport),
      recordings: createRpcClient(RecordingsService, transport),
      services: [],
      signer: createPrincipalSigner([new Secret("any")], systemClock),
      bus,
      log: silentLogger,
    },
  );
  const { url } = await gateway.start();
  t.onTestFinished(async () => {
    await gateway.stop();
    await bus.close();
  });
  const authorization = `Bearer ${newCredential("token", (size) => new Uint8Array(size))}`;
  for (const path of ["/api/credential", "/api/providers"]) {
    const response = await fetch(url + path, { headers: { authorization } });
    assert.equal(response.status, 403);
    assert.match(await response.text(), /"code":"FORBIDDEN"/);
  }
});

test("the OpenAPI document describes the credential and the providers", async (t) => {
  const edge = await startEdge(t);
  const { paths } = (await edge.call("GET", "/openapi.json")).json;
  for (const path of ["/api/credential", "/api/providers"]) {
    const { security, responses } = paths[path].get;
    assert.deepEqual(security, [{ apiKey: [] }]);
    assert.match(responses["200"].content["application/json"].schema.$ref, /^#\/components\/schemas\/\w+$/);
  }
});
