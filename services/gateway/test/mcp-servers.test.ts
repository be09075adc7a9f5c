import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { TestMcpServerResponseSchema } from "@muster/proto/sessions";
import { Reason, rpcError } from "@muster/rpc";
import { createLogger } from "@muster/service";
import { describe, test } from "vitest";
import { agentBody, type Edge, type Json, makeKey, startEdge } from "./support/start-edge.ts";

const path = "/api/admin/mcp-servers";
const secret = "the-secret-0123456789";
const body = {
  slug: "issue-tracker",
  url: "https://mcp.example/mcp",
  auth: { type: "bearer", token: secret },
  headers: { "X-Tenant": "tenant-secret" },
};

async function create(edge: Edge, fields: object = {}): Promise<Json> {
  const { status, json, text } = await edge.call("POST", path, { body: { ...body, ...fields } });
  assert.equal(status, 201, text);
  return json;
}

describe("the MCP servers of a project", () => {
  test("one is created with defaults, read, listed, changed and deleted twice, without its secrets in a response or the log", async (t) => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const log = createLogger({ name: "gateway", level: "debug", destination });
    const edge = await startEdge(t, {}, {}, log);
    const texts: string[] = [];
    const call: Edge["call"] = async (...args) => {
      const answer = await edge.call(...args);
      texts.push(answer.text);
      return answer;
    };
    const made = (await call("POST", path, { body })).json;
    const { id, createdAt } = made;
    assert.match(id, /^mcp_[0-9a-z]{30}$/);
    const { headers: _, ...shown } = body;
    assert.deepEqual(made, {
      ...{ id, projectId: "default", ...shown, auth: { type: "bearer" }, headerNames: ["X-Tenant"] },
      ...{
        tools: null,
        idleTimeoutMs: 60_000,
        timeoutMs: 600_000,
        enabled: true,
        revision: 1,
        managed: false,
      },
      ...{ createdAt, updatedAt: createdAt },
    });
    assert.deepEqual((await call("GET", `${path}/${id}`)).json, made);
    assert.deepEqual((await call("GET", path)).json, { mcpServers: [made] });
    const changes = {
      ...{ url: "http://10.0.0.7:8080/mcp", tools: ["get_*"], idleTimeoutMs: 1_000, timeoutMs: 2_000 },
      ...{ enabled: false, auth: { type: "header", name: "X-Key", value: secret }, headers: {} },
    };
    const changed = (await call("PATCH", `${path}/${id}`, { body: changes })).json;
    const { headers: __, ...rest } = changes;
    assert.deepEqual(changed, {
      ...{ ...made, ...rest, auth: { type: "header", name: "X-Key" }, headerNames: [] },
      updatedAt: changed.updatedAt,
      revision: 2,
    });
    const all = (await call("PATCH", `${path}/${id}`, { body: { tools: null } })).json;
    assert.equal(all.tools, null);
    const taken = await call("POST", path, { body });
    assert.deepEqual([taken.status, taken.json.code], [409, "SLUG_TAKEN"]);
    const misplaced = await call("POST", path, { body: { ...body, auth: { type: "none", token: secret } } });
    assert.deepEqual([misplaced.status, misplaced.json.issues[0].path], [400, "auth.token"]);
    for (let times = 0; times < 2; times++)
      assert.deepEqual((await call("DELETE", `${path}/${id}`)).json, { id, deleted: true });
    for (const [method, sent] of [["GET"], ["PATCH", { enabled: true }]] as const)
      assert.equal((await call(method, `${path}/${id}`, sent ? { body: sent } : {})).status, 404);
    assert.ok(lines.length > 5);
    for (const text of [...texts, ...lines]) assert.ok(!text.includes("secret"), text);
  });

  test("every kind of credentials is stored and shown without its secret", async (t) => {
    const edge = await startEdge(t);
    const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const client = { clientId: "muster", issuer: "https://idp.example", scope: "read write" };
    const kinds: Array<[auth: object, shown: object]> = [
      [{ type: "none" }, { type: "none" }],
      [
        { type: "header", name: "X-Key", value: secret },
        { type: "header", name: "X-Key" },
      ],
      [
        { type: "client-credentials", ...client, clientSecret: secret },
        { type: "client-credentials", ...client },
      ],
      [
        { type: "private-key-jwt", clientId: "muster", privateKey: pem },
        { type: "private-key-jwt", clientId: "muster", algorithm: "EdDSA" },
      ],
    ];
    for (const [index, [auth, shown]] of kinds.entries())
      assert.deepEqual((await create(edge, { slug: `s${index}`, auth })).auth, shown);
  });

  /** Each with the path of the first issue. */
  const wrong: Array<[fields: Record<string, unknown>, issue: string]> = [
    [{ slug: "shell" }, "slug"],
    [{ slug: "a_b" }, "slug"],
    [{ slug: 7 }, "slug"],
    [{ url: "mcp.example" }, "url"],
    [{ url: `https://u:${secret}@mcp.example` }, "url"],
    [{ auth: {} }, "auth.type"],
    [{ auth: { type: "basic" } }, "auth.type"],
    [{ auth: { type: "bearer" } }, "auth.token"],
    [{ auth: { type: "bearer", tokn: secret } }, "auth.tokn"],
    [{ auth: { type: "bearer", token: `${secret} ` } }, "auth.token"],
    [{ auth: { type: "bearer", token: secret, value: secret } }, "auth.value"],
    [{ auth: { type: "private-key-jwt", clientId: "c", privateKey: secret } }, "auth.privateKey"],
    [{ headers: { Host: "x" } }, "headers.Host"],
    [{ headers: { "X-Key": `${secret}\n` } }, "headers.X-Key"],
    [{ headers: { "X-Key": 7 } }, "headers.X-Key"],
    [{ headers: [] }, "headers"],
    [{ tools: [] }, "tools"],
    [{ tools: [""] }, "tools.0"],
    [{ idleTimeoutMs: 999 }, "idleTimeoutMs"],
    [{ timeoutMs: 1.5 }, "timeoutMs"],
    [{ idleTimeoutMS: 5_000 }, "idleTimeoutMS"],
    [{ enabled: "no" }, "enabled"],
  ];
  test("a wrong or misspelt field is 400 with its path and without its secret, and stores nothing", async (t) => {
    const edge = await startEdge(t);
    const stored = await create(edge);
    const answer = async (method: string, to: string, sent: unknown) => {
      const { status, json, text } = await edge.call(method, to, { body: sent });
      assert.ok(!text.includes(secret), text);
      return [status, json.code, json.issues?.[0]?.path];
    };
    for (const [fields, issue] of wrong) {
      const expected = [400, "INVALID_REQUEST", issue];
      const name = JSON.stringify(fields);
      assert.deepEqual(await answer("POST", path, { ...body, slug: "other", ...fields }), expected, name);
      if (issue === "slug") continue;
      assert.deepEqual(await answer("PATCH", `${path}/${stored.id}`, fields), expected, name);
    }
    const elsewhere = { url: "https://evil.example" };
    assert.deepEqual((await answer("PATCH", `${path}/${stored.id}`, elsewhere))[2], "auth");
    assert.equal((await answer("PATCH", `${path}/${stored.id}`, { slug: "other" }))[0], 400);
    assert.deepEqual((await edge.call("GET", path)).json, { mcpServers: [stored] });
  });
});

test("the test of a server shows what it said, or the stage that failed, and 404 for a server that does not exist", async (t) => {
  const tools = [{ name: "get", description: "Gets." }];
  const said = { era: "legacy", protocolVersion: "2025-06-18", tools, problems: ["It has no name."] };
  const problem = { stage: "connection", problem: "The MCP server x does not respond." };
  const answers: Record<string, () => MessageInitShape<typeof TestMcpServerResponseSchema>> = {
    mcp_named: () => ({
      ...{ result: { case: "report", value: { ...said, name: "n", version: "1" } }, latencyMs: 7 },
    }),
    mcp_unnamed: () => ({ result: { case: "report", value: said }, latencyMs: 7 }),
    mcp_down: () => ({ result: { case: "problem", value: problem }, latencyMs: 8 }),
  };
  const edge = await startEdge(t, {
    testMcpServer: async ({ id }) => answers[id]?.() ?? Promise.reject(rpcError(Reason.NOT_FOUND, "None.")),
  });
  const testOf = async (id: string) => (await edge.call("POST", `${path}/${id}/test`)).json;
  const report = { ok: true, ...said, latencyMs: 7 };
  assert.deepEqual(await testOf("mcp_named"), { ...report, server: { name: "n", version: "1" } });
  assert.deepEqual(await testOf("mcp_unnamed"), { ...report, server: null });
  assert.deepEqual(await testOf("mcp_down"), { ok: false, ...problem, latencyMs: 8 });
  assert.equal((await testOf("mcp_none")).code, "NOT_FOUND");
});

test("a push warns of remote servers that the project lacks, for keys without admin too, and not if the auth service is down", async (t) => {
  const edge = await startEdge(t, {}, { authCacheMs: 600_000 });
  const { key } = await makeKey(edge, { permissions: ["agents"] });
  const { protocol, ...rest } = agentBody("echo");
  const section = "mcpServers: { issue-trackers: { description: I, source: remote } }";
  const used = protocol.replace("system: system }", "system: system, mcpServers: [issue-trackers] }");
  const definition = { ...rest, protocol: `${section}\n${used}` };
  const warned = async (method: string, to: string, sent: unknown) => {
    const { json, text } = await edge.call(method, to, { body: sent, key });
    assert.ok(json.message !== undefined || json.valid, text);
    return /no MCP server with the slug|with a warning/.test(text);
  };
  let changes = 0;
  const all = async () => [
    await warned("POST", "/api/agents/validate", definition),
    await warned("PATCH", "/api/agents/echo?by=slug", { settings: { name: `Name ${++changes}` } }),
  ];
  assert.equal(await warned("POST", "/api/agents", definition), true);
  await create(edge);
  const { json } = await edge.call("POST", "/api/agents/validate", { body: definition, key });
  const [{ code, path: place, suggestions }] = json.issues;
  assert.deepEqual(
    [code, place, suggestions],
    ["UNREGISTERED_MCP_SERVER", "mcpServers.issue-trackers", ["issue-tracker"]],
  );
  assert.deepEqual(await all(), [true, true]);
  await create(edge, { slug: "issue-trackers", enabled: false });
  assert.deepEqual(await all(), [false, false]);
  await edge.call("GET", "/api/credential", { key });
  await edge.stopAuth();
  assert.deepEqual(await all(), [false, false]);
});

describe("the hosts of HTTP tools of a project", () => {
  const project = "/api/admin/projects/default";
  const secrets = `${project}/tool-secrets`;

  test("hosts are texts or objects, replaced as a whole, and shown as objects", async (t) => {
    const edge = await startEdge(t);
    const change = (toolHosts: unknown) => edge.call("PATCH", project, { body: { toolHosts } });
    const { json } = await change([
      "api.example.com",
      { host: "10.0.0.7:8080", untrusted: true },
      { host: "a" },
    ]);
    const expected = [
      { host: "api.example.com", untrusted: false },
      { host: "10.0.0.7:8080", untrusted: true },
      { host: "a", untrusted: false },
    ];
    assert.deepEqual(json.toolHosts, expected);
    const { projects } = (await edge.call("GET", "/api/admin/projects")).json;
    assert.deepEqual(projects[0].toolHosts, expected);
    for (const [hosts, issue] of [
      ["a", "toolHosts"],
      [["https://a"], "toolHosts.0.host"],
      [["a", { host: "a" }], "toolHosts.1.host"],
      [[7], "toolHosts.0"],
      [[{}], "toolHosts.0"],
      [[{ host: "a", untrusted: "yes" }], "toolHosts.0"],
      [Array.from({ length: 101 }, (_, index) => `h${index}`), "toolHosts"],
    ] as const) {
      const refused = await change(hosts);
      const [first] = refused.json.issues ?? [];
      assert.deepEqual([refused.status, first?.path], [400, issue], JSON.stringify(hosts).slice(0, 60));
    }
    assert.deepEqual((await change(null)).json.toolHosts, []);
  });

  test("a generated secret is shown once, one of the caller never, and both are listed by host", async (t) => {
    const edge = await startEdge(t);
    const put = (host: string, sent: object) => edge.call("PUT", `${secrets}/${host}`, { body: sent });
    const { json: generated } = await put("b.example:8080", {});
    assert.match(generated.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const own = `whsec_${Buffer.alloc(64, 7).toString("base64")}`;
    const given = await put("a.example", { secret: own });
    assert.deepEqual([given.status, given.json.secret, given.json.lastFour], [200, undefined, own.slice(-4)]);
    const listed = await edge.call("GET", secrets);
    const { secret: _, ...shown } = generated;
    assert.deepEqual(listed.json, { toolSecrets: [given.json, shown] });
    for (const text of [given.text, listed.text])
      assert.ok(!text.includes(own) && !text.includes(generated.secret));
    for (const sent of [{ secret: "" }, { secret: "whsec_c2hvcnQ=" }, { secret: 7 }, { secrt: own }])
      assert.equal((await put("a.example", sent)).status, 400, JSON.stringify(sent));
    assert.equal((await put("A.example", {})).json.issues[0].path, "host");
    const remove = () => edge.call("DELETE", `${secrets}/a.example`);
    assert.deepEqual((await remove()).json, { host: "a.example", deleted: true });
    assert.deepEqual((await remove()).json, { host: "a.example", deleted: false });
  });
});
