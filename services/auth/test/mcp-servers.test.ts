import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { McpAuthSchema } from "@muster/proto/auth";
import { platformPrincipal, Reason, readRpcError } from "@muster/rpc";
import { createLogger } from "@muster/service";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { as, createWorld, startAuth, type World } from "./support/start-auth.ts";

const secretsKey = "ab".repeat(32);
const url = "https://mcp.example/mcp";
const secret = "the-secret-0123456789";
const bearer = { type: { case: "bearer" as const, value: { token: secret } } };

async function start(t: Parameters<typeof startAuth>[0], options: { secretsKey?: string } = { secretsKey }) {
  const world = await createWorld(t);
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ name: "auth", level: "debug", destination });
  const { client } = await startAuth(t, world, undefined, { ...options, log });
  return { world, client, lines };
}

type Client = Awaited<ReturnType<typeof start>>["client"];

const resolved = async (client: Client, world: World, projectId = "default") =>
  (await client.resolveProviderKeys({ projectId }, as(world, platformPrincipal))).mcpServers;

async function create(client: Client, world: World, fields: object = {}) {
  const request = { slug: "tracker", url, auth: bearer, headers: { "X-Tenant": "acme-secret" }, ...fields };
  const { mcpServer } = await client.createMcpServer(request, as(world));
  assert.ok(mcpServer);
  return mcpServer;
}

function collection(world: World) {
  return world.store.db.client.db(`${world.store.databasePrefix}_auth`).collection("mcp_servers");
}

/** The path of the first issue of a refusal. */
async function issueOf(call: Promise<unknown>): Promise<string | undefined> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => readRpcError(error),
  );
  assert.equal(outcome?.reason, Reason.INVALID_REQUEST);
  assert.ok(!outcome.message.includes(secret));
  return outcome.issues[0]?.path;
}

const pemOf = (type: "rsa" | "ec" | "ed25519", modulusLength = 2_048) => {
  const encoding = { type: "pkcs8", format: "pem" } as const;
  if (type === "rsa")
    return generateKeyPairSync(type, { modulusLength }).privateKey.export(encoding).toString();
  if (type === "ec")
    return generateKeyPairSync(type, { namedCurve: "P-256" }).privateKey.export(encoding).toString();
  return generateKeyPairSync(type).privateKey.export(encoding).toString();
};

describe("the MCP servers of a project", () => {
  test("only the platform reads the secrets of a server, and only those of its project", async (t) => {
    const { world, client, lines } = await start(t);
    const made = await create(client, world);
    assert.deepEqual(made.auth?.type, { case: "bearer", value: { ...made.auth?.type.value, token: "" } });
    assert.deepEqual({ ...made.headers }, { "X-Tenant": "" });
    assert.deepEqual([made.idleTimeoutMs, made.timeoutMs, made.enabled], [60_000, 600_000, true]);
    const shown = [
      await client.getMcpServer({ id: made.id }, as(world)),
      await client.listMcpServers({}, as(world)),
      await client.updateMcpServer({ id: made.id, enabled: false }, as(world)),
    ];
    const stored = await collection(world).find().toArray();
    const texts = [
      JSON.stringify([stored, lines]),
      JSON.stringify(shown, (_, v) => (typeof v === "bigint" ? 0 : v)),
    ];
    for (const text of texts) assert.ok(!text.includes(secret) && !text.includes("acme"));
    const [full] = await resolved(client, world);
    assert.deepEqual(full?.mcpServer?.auth?.type.value, {
      ...full?.mcpServer?.auth?.type.value,
      token: secret,
    });
    assert.deepEqual({ ...full.mcpServer.headers }, { "X-Tenant": "acme-secret" });
    assert.deepEqual([full.mcpServer.enabled, full.problem], [false, undefined]);
    const other = await client.createProject({ name: "p" }, as(world));
    assert.deepEqual(await resolved(client, world, other.project?.id), []);
  });

  test("a slug is taken once per project, also by twenty requests at once, and free again after a deletion", async (t) => {
    const { world, client } = await start(t);
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => create(client, world)));
    const [made, ...more] = outcomes.flatMap((outcome) =>
      outcome.status === "fulfilled" ? [outcome.value] : [],
    );
    assert.ok(made && more.length === 0);
    const taken = (error: unknown) => readRpcError(error).reason === Reason.SLUG_TAKEN;
    await assert.rejects(create(client, world), taken);
    const { project } = await client.createProject({ name: "p" }, as(world));
    assert.ok(project);
    await client.createMcpServer({ slug: "tracker", url }, as(world, { projectId: project.id }));
    for (let times = 0; times < 2; times++) await client.deleteMcpServer({ id: made.id }, as(world));
    const [tombstone] = await collection(world).find({ projectId: "default" }).toArray();
    assert.ok(tombstone && !("authSecret" in tombstone) && !("headers" in tombstone));
    const gone = client.updateMcpServer({ id: made.id, enabled: true }, as(world));
    await assert.rejects(gone, (error) => readRpcError(error).reason === Reason.NOT_FOUND);
    assert.notEqual((await create(client, world)).id, made.id);
  });

  test("a change or deletion of an unexpected revision does nothing, of a server, an identity provider or the project", async (t) => {
    const { world, client } = await start(t);
    const { id } = await create(client, world, { managed: true });
    const { identityProvider } = await client.createIdentityProvider(
      {
        ...{ name: "Shop", issuer: "https://shop.example", managed: true },
        conditions: [{ claim: "role", equals: ["support"] }],
        scope: { agent: { case: "agentClaim", value: "agent" } },
      },
      as(world),
    );
    const provider = { id: identityProvider?.id ?? "" };
    const project = { projectId: "default" };
    const kinds: Array<{
      change: (expectedRevisions: number[]) => Promise<{ revision: number; managed?: boolean } | undefined>;
      remove?: (expectedRevisions: number[]) => Promise<unknown>;
    }> = [
      {
        change: async (expectedRevisions) =>
          (await client.updateMcpServer({ id, timeoutMs: 5_000, expectedRevisions }, as(world))).mcpServer,
        remove: (expectedRevisions) => client.deleteMcpServer({ id, expectedRevisions }, as(world)),
      },
      {
        change: async (expectedRevisions) => {
          const changes = { ...provider, name: "Store", expectedRevisions };
          return (await client.updateIdentityProvider(changes, as(world))).identityProvider;
        },
        remove: (expectedRevisions) =>
          client.deleteIdentityProvider({ ...provider, expectedRevisions }, as(world)),
      },
      {
        change: async (expectedRevisions) =>
          (await client.updateProject({ ...project, name: "Shop", expectedRevisions }, as(world))).project,
      },
    ];
    const mismatch = (error: unknown) => readRpcError(error).reason === Reason.VERSION_MISMATCH;
    for (const { change, remove } of kinds) {
      const changed = await change([1]);
      assert.deepEqual([changed?.revision, changed?.managed ?? true], [2, true]);
      await assert.rejects(change([1]), mismatch);
      assert.equal((await change([]))?.revision, 3);
      if (remove === undefined) continue;
      await assert.rejects(remove([2]), mismatch);
      for (let times = 0; times < 2; times++) await remove([3]);
    }
  });

  test("every change reaches the platform as an event with the project and nothing else", async (t) => {
    const { world, client } = await start(t);
    const events: unknown[] = [];
    await world.bus.subscribe("auth.project-changed", { broadcast: true }, async (event) => {
      events.push(event);
    });
    const { id } = await create(client, world);
    await client.updateMcpServer({ id, tools: { patterns: ["get_*"] } }, as(world));
    await client.updateMcpServer({ id }, as(world));
    await client.deleteMcpServer({ id }, as(world));
    await until(() => events.length === 3);
    assert.deepEqual(events, Array(3).fill({ projectId: "default" }));
  });

  test("a change replaces what it contains, and secrets go to another origin only if they are sent again", async (t) => {
    const { world, client } = await start(t);
    const { id } = await create(client, world);
    const change = (fields: object) => client.updateMcpServer({ id, ...fields }, as(world));
    const secretNow = async () => {
      const [server] = await resolved(client, world);
      const { mcpServer } = server ?? {};
      const type = mcpServer?.auth?.type;
      return [mcpServer?.url, type?.case === "bearer" && type.value.token, { ...mcpServer?.headers }];
    };
    await change({ url: "https://mcp.example/other" });
    assert.deepEqual(await secretNow(), ["https://mcp.example/other", secret, { "X-Tenant": "acme-secret" }]);
    const elsewhere = "https://evil.example/mcp";
    assert.equal(await issueOf(change({ url: elsewhere })), "auth");
    assert.equal(await issueOf(change({ url: elsewhere, auth: {} })), "headers");
    await change({ url: elsewhere, auth: {}, headers: {} });
    assert.deepEqual(await secretNow(), [elsewhere, false, {}]);
    await change({ url, auth: bearer, headers: { values: { "X-Tenant": "t" } } });
    assert.deepEqual(await secretNow(), [url, secret, { "X-Tenant": "t" }]);
  });

  test("a server whose secret was moved to another URL in the store, or encrypted with a lost key, is a problem", async (t) => {
    const { world, client } = await start(t);
    await create(client, world);
    await create(client, world, { slug: "open", auth: undefined, headers: {} });
    await collection(world).updateOne({ slug: "tracker" }, { $set: { url: "https://evil.example" } });
    const problems = async (by: Client) => (await resolved(by, world)).map(({ problem = "none" }) => problem);
    const [none, moved] = await problems(client);
    assert.equal(none, "none");
    assert.match(String(moved), /^The secret of the MCP server tracker is damaged/);
    await collection(world).updateOne({ slug: "tracker" }, { $set: { url } });
    const rotated = await startAuth(t, world, undefined, { secretsKey: "cd".repeat(32) });
    assert.match(String((await problems(rotated.client))[1]), /MCP server tracker .*MUSTER_SECRETS_KEY/);
    assert.deepEqual(await problems(client), ["none", "none"]);
  });

  test("without a secrets key, only a server without secrets is stored, and the refusal names the variable", async (t) => {
    const { world, client } = await start(t, {});
    await create(client, world, { slug: "open", auth: {}, headers: {} });
    for (const fields of [{ headers: {} }, { auth: {} }])
      await assert.rejects(create(client, world, fields), (error) => {
        const { reason, message } = readRpcError(error);
        return reason === Reason.INVALID_REQUEST && message.includes("MUSTER_SECRETS_KEY");
      });
    assert.equal((await client.listMcpServers({}, as(world))).mcpServers.length, 1);
  });
});

describe("a request for an MCP server", () => {
  const jwt = (privateKey: string, algorithm = "") => ({
    auth: { type: { case: "privateKeyJwt" as const, value: { clientId: "c", privateKey, algorithm } } },
  });
  const client = { clientId: "c", clientSecret: "s" };
  const credentials = (value: object) => ({
    auth: { type: { case: "clientCredentials" as const, value: { ...client, ...value } } },
  });
  const header = (name: string, value = "v") => ({
    auth: { type: { case: "header" as const, value: { name, value } } },
  });
  const wrong: Array<[fields: object, issue: string]> = [
    ...["", "Tracker", "a_b", "-a", "platform", "shell", "files", "x".repeat(65), "$where", "__proto__"].map(
      (slug): [object, string] => [{ slug }, "slug"],
    ),
    ...["", "mcp.example", "ftp://mcp.example", "https://u:p@mcp.example", "https://u@mcp.example"].map(
      (wrongUrl): [object, string] => [{ url: wrongUrl }, "url"],
    ),
    [{ url: "https://mcp.example#x" }, "url"],
    [{ url: `https://mcp.example/${"x".repeat(2_000)}` }, "url"],
    [{ auth: { type: { case: "bearer", value: { token: "" } } } }, "auth.token"],
    [{ auth: { type: { case: "bearer", value: { token: `${secret} x` } } } }, "auth.token"],
    [header("Mcp-Session-Id"), "auth.name"],
    [header("Host"), "auth.name"],
    [header("a b"), "auth.name"],
    [header("X-Key", " v"), "auth.value"],
    [header("X-Key", "a\r\nHost: b"), "auth.value"],
    [credentials({ clientId: "" }), "auth.clientId"],
    [credentials({ clientSecret: "" }), "auth.clientSecret"],
    [credentials({ issuer: "idp" }), "auth.issuer"],
    [credentials({ scope: "ä" }), "auth.scope"],
    [jwt("no key"), "auth.privateKey"],
    [jwt(pemOf("rsa", 1_024)), "auth.privateKey"],
    [jwt(pemOf("ec"), "RS256"), "auth.algorithm"],
    [jwt(pemOf("rsa"), "none"), "auth.algorithm"],
    [{ headers: { "Content-Length": "1" } }, "headers.Content-Length"],
    [{ headers: { "X-A": "1", "x-a": "2" } }, "headers.x-a"],
    [{ headers: { "X-A": "" } }, "headers.X-A"],
    [{ headers: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`X-${i}`, "v"])) }, "headers"],
    [{ tools: ["a b"] }, "tools.0"],
    [{ tools: Array(129).fill("a") }, "tools"],
    [{ idleTimeoutMs: 999 }, "idleTimeoutMs"],
    [{ timeoutMs: 3_600_001 }, "timeoutMs"],
  ];

  test("a wrong field is refused by its path without its secret, when creating and when changing", async (t) => {
    const { world, client: auth } = await start(t);
    const { id } = await create(auth, world, { slug: "stored", headers: {} });
    for (const [fields, issue] of wrong) {
      assert.equal(
        await issueOf(create(auth, world, { headers: {}, ...fields })),
        issue,
        JSON.stringify(fields),
      );
      const {
        slug,
        headers: values,
        tools: patterns,
        ...rest
      }: Partial<Record<string, never>> = { ...fields };
      if (slug !== undefined) continue;
      const changes = {
        ...rest,
        ...(values ? { headers: { values } } : {}),
        ...(patterns ? { tools: { patterns } } : {}),
      };
      assert.equal(await issueOf(auth.updateMcpServer({ id, ...changes }, as(world))), issue, issue);
    }
  });

  test("a private key brings its usual algorithm, and every kind of credentials returns to the platform unchanged", async (t) => {
    const { world, client: auth } = await start(t);
    const [rsa, ec, ed] = [pemOf("rsa"), pemOf("ec"), pemOf("ed25519")];
    const sent: Array<[MessageInitShape<typeof McpAuthSchema>, algorithm?: string]> = [
      [jwt(rsa).auth, "RS256"],
      [jwt(rsa, "PS384").auth, "PS384"],
      [jwt(ec).auth, "ES256"],
      [jwt(ed).auth, "EdDSA"],
      [header("X-Key", "two words").auth],
      [credentials({ issuer: "https://idp.example/t", scope: "a b" }).auth],
      [{}],
    ];
    for (const [index, [message]] of sent.entries())
      await create(auth, world, { slug: `s${index}`, auth: message, headers: {} });
    for (const [index, { mcpServer }] of (await resolved(auth, world)).entries()) {
      const [message, algorithm] = sent[index] ?? [];
      const expected = { ...message?.type?.value, ...(algorithm && { algorithm }) };
      const { $typeName: _, ...received }: Record<string, unknown> = { ...mcpServer?.auth?.type.value };
      assert.deepEqual([mcpServer?.auth?.type.case, received], [message?.type?.case, expected]);
    }
  });

  test("a project has at most 50 servers, and another project counts for itself", async (t) => {
    const { world, client: auth } = await start(t);
    for (let index = 0; index < 50; index++) await create(auth, world, { slug: `s${index}` });
    assert.equal(await issueOf(create(auth, world, { slug: "more" })), undefined);
    const { project } = await auth.createProject({ name: "p" }, as(world));
    await auth.createMcpServer({ slug: "more", url }, as(world, { projectId: project?.id ?? "" }));
  });
});
