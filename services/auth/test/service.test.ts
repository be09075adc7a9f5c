import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { type CallPrincipal, permissions, Reason, readRpcError } from "@muster/rpc";
import { ConfigError } from "@muster/service";
import { hashCredential } from "@muster/service/credentials";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { as, createWorld, startAuth, type World } from "./support/start-auth.ts";

const refused = (reason: Reason, issuePath?: string) => (error: unknown) => {
  const failure = readRpcError(error);
  assert.equal(failure.reason, reason, failure.message);
  if (issuePath !== undefined)
    assert.deepEqual(
      failure.issues.map(({ path }) => path),
      [issuePath],
    );
  return true;
};

type Client = Awaited<ReturnType<typeof startAuth>>["client"];

/** Creates a key with the bootstrap key and returns it with its principal. */
async function makeKey(world: World, client: Client, fields: Parameters<Client["createApiKey"]>[0] = {}) {
  const request = { name: "test", permissions: ["sessions"], ...fields };
  const { apiKey, secret } = await client.createApiKey(request, as(world));
  assert.ok(apiKey);
  const principal: Partial<CallPrincipal> = {
    keyId: apiKey.id,
    projectId: apiKey.projectId,
    anyProject: false,
  };
  return { id: apiKey.id, secret, apiKey, principal };
}

describe("the first start", () => {
  test("the first start creates the project default and one unrestricted key, even if several instances start at once", async (t) => {
    const world = await createWorld(t);
    const instances = await Promise.all([1, 2, 3, 4].map(() => startAuth(t, world)));
    const secrets = instances.flatMap(({ service }) => service.bootstrapKey?.reveal() ?? []);
    assert.equal(secrets.length, 1);
    const [first] = instances;
    assert.ok(first);
    const { principal } = await first.client.authenticate({ credential: secrets[0] ?? "" });
    assert.equal(principal?.projectId, "default");
    assert.equal(principal?.anyProject, true);
    assert.deepEqual([...(principal?.permissions ?? [])].sort(), [
      "admin",
      "agents",
      "approve",
      "mint-tokens",
      "sessions",
      "workforce",
    ]);
    const { projects } = await first.client.listProjects({}, as(world));
    assert.deepEqual(
      projects.map(({ id }) => id),
      ["default"],
    );
  });

  test("only the first start shows the secret of the bootstrap key, and no stored document reveals it", async (t) => {
    const world = await createWorld(t);
    const first = await startAuth(t, world);
    const secret = first.service.bootstrapKey?.reveal() ?? "";
    assert.match(secret, /^svc_sk_[0-9a-z]{32}_[0-9A-Za-z]{6}$/);
    await first.service.stop();
    const second = await startAuth(t, world);
    assert.equal(second.service.bootstrapKey, undefined);
    await second.client.authenticate({ credential: secret });
    const database = world.store.db.client.db(`${world.store.databasePrefix}_auth`);
    const stored = JSON.stringify(await database.collection("api_keys").find().toArray());
    assert.ok(!stored.includes(secret.slice("svc_sk_".length)));
    assert.ok(stored.includes(hashCredential(secret)));
  });
});

describe("MUSTER_ADMIN_KEY", () => {
  const preset = `svc_sk_${"a".repeat(40)}`;
  const other = `svc_sk_${"b".repeat(40)}`;

  test("MUSTER_ADMIN_KEY presets the bootstrap key, and a changed value replaces and revokes it", async (t) => {
    const world = await createWorld(t);
    const revoked: string[] = [];
    await world.bus.subscribe("auth.key-revoked", { broadcast: true }, async ({ keyId }) => {
      revoked.push(keyId);
    });
    const first = await startAuth(t, world, preset);
    assert.equal(first.service.bootstrapKey, undefined);
    await first.client.authenticate({ credential: preset });
    await startAuth(t, world, preset);
    assert.deepEqual(revoked, []);
    await startAuth(t, world, other);
    await first.client.authenticate({ credential: other });
    await assert.rejects(first.client.authenticate({ credential: preset }), refused(Reason.UNAUTHENTICATED));
    await until(() => revoked.length === 1);
  });

  test("MUSTER_ADMIN_KEY restores a deleted bootstrap key, which otherwise stays deleted", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world, preset);
    await client.deleteApiKey({ id: "key_bootstrap" }, as(world));
    const second = await startAuth(t, world);
    assert.equal(second.service.bootstrapKey, undefined);
    await assert.rejects(client.authenticate({ credential: preset }), refused(Reason.UNAUTHENTICATED));
    await startAuth(t, world, preset);
    await client.authenticate({ credential: preset });
  });

  test("MUSTER_ADMIN_KEY is refused if another key has that secret", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const { secret } = await makeKey(world, client);
    await assert.rejects(startAuth(t, world, secret), ConfigError);
  });
});

describe("Authenticate", () => {
  test("Authenticate refuses every invalid credential with the same error", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const expiring = await makeKey(world, client, { expiresAt: timestampFromMs(world.clock.now() + 1_000) });
    const deleted = await makeKey(world, client);
    await client.deleteApiKey({ id: deleted.id }, as(world));
    const { principal } = await client.authenticate({ credential: expiring.secret });
    assert.equal(principal?.expiresAt && timestampMs(principal.expiresAt), world.clock.now() + 1_000);
    world.clock.advance(1_000);
    const bad = ["", "x", `svc_sk_${"0".repeat(32)}`, `${expiring.secret}0`, expiring.secret, deleted.secret];
    const answers = await Promise.all(
      bad.map((credential) => client.authenticate({ credential }).then(() => assert.fail(), readRpcError)),
    );
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.equal(answers[0]?.reason, Reason.UNAUTHENTICATED);
  });

  test("Authenticate records the use of a key at most once a minute", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const { id, secret } = await makeKey(world, client);
    const lastUseMs = async () => {
      const { apiKeys } = await client.listApiKeys({}, as(world));
      const time = apiKeys.find((key) => key.id === id)?.lastUsedAt;
      return time && timestampMs(time);
    };
    assert.equal(await lastUseMs(), undefined);
    const firstMs = world.clock.now();
    await client.authenticate({ credential: secret });
    await until(async () => (await lastUseMs()) === firstMs);
    world.clock.advance(59_999);
    await client.authenticate({ credential: secret });
    await delay(20);
    assert.equal(await lastUseMs(), firstMs);
    world.clock.advance(1);
    await client.authenticate({ credential: secret });
    await until(async () => (await lastUseMs()) === firstMs + 60_000);
  });
});

describe("a new key", () => {
  test("a new key has exactly the requested permissions and scope", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const { secret, apiKey } = await makeKey(world, client, {
      permissions: ["sessions", "agents", "sessions"],
      agentId: "agt_1",
    });
    assert.deepEqual(apiKey.permissions, ["sessions", "agents"]);
    const { principal } = await client.authenticate({ credential: secret });
    assert.equal(principal?.agentId, "agt_1");
    assert.equal(principal?.anyProject, false);
    assert.deepEqual(principal?.permissions, ["sessions", "agents"]);
  });

  const bad: Array<[title: string, fields: Parameters<Client["createApiKey"]>[0], path: string]> = [
    ["an empty name", { name: " " }, "name"],
    ["a long name", { name: "x".repeat(101) }, "name"],
    ["a name with control characters", { name: "a\u0000b" }, "name"],
    ["no permission", { permissions: [] }, "permissions"],
    ["an unknown permission", { permissions: ["sessions", "root"] }, "permissions.1"],
    ["an expiry in the past", { expiresAt: timestampFromMs(0) }, "expiresAt"],
    ["an expiry after the year 9999", { expiresAt: timestampFromMs(253_402_300_800_000) }, "expiresAt"],
    ["an expiry out of range", { expiresAt: { seconds: 10n ** 15n } }, "expiresAt"],
    ["a malformed agent id", { agentId: "a b" }, "agentId"],
    ["admin for one agent", { agentId: "agt_1", permissions: ["sessions", "admin"] }, "agentId"],
    ["only agents for one agent", { agentId: "agt_1", permissions: ["agents"] }, "permissions"],
  ];
  for (const [title, fields, path] of bad) {
    test(`a new key with ${title} is refused and not stored`, async (t) => {
      const world = await createWorld(t);
      const { client } = await startAuth(t, world);
      await assert.rejects(makeKey(world, client, fields), refused(Reason.INVALID_REQUEST, path));
      assert.equal((await client.listApiKeys({}, as(world))).apiKeys.length, 1);
    });
  }

  test("a key with admin creates keys with any permission, none of them for another project or longer than it lives", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const expiresAt = timestampFromMs(world.clock.now() + 60_000);
    const later = timestampFromMs(world.clock.now() + 60_001);
    const creator = await makeKey(world, client, { permissions: ["admin"], expiresAt });
    const by = as(world, { ...creator.principal, permissions: new Set(["admin"]) });
    const fine = { name: "child", permissions: ["sessions"], agentId: "agt_1", expiresAt };
    await client.createApiKey(fine, by);
    await client.createApiKey({ name: "child", permissions: [...permissions], expiresAt }, by);
    const tooMuch = [
      { ...fine, projectId: "prj_other" },
      { ...fine, expiresAt: later },
      { name: "child", permissions: ["sessions"], agentId: "agt_1" },
    ];
    for (const request of tooMuch) {
      await assert.rejects(client.createApiKey(request, by), refused(Reason.FORBIDDEN));
    }
  });

  test("a new key cannot be created with a key that has just been deleted", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const creator = await makeKey(world, client, { permissions: ["admin"] });
    await client.deleteApiKey({ id: creator.id }, as(world));
    const by = as(world, creator.principal);
    await assert.rejects(
      client.createApiKey({ name: "x", permissions: ["admin"] }, by),
      refused(Reason.UNAUTHENTICATED),
    );
  });
});

describe("deleting a key", () => {
  test("deleting a key stops it at once, publishes one event, and may be repeated", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const revoked: unknown[] = [];
    await world.bus.subscribe("auth.key-revoked", { broadcast: true }, async (event) => {
      revoked.push(event);
    });
    const { id, secret } = await makeKey(world, client);
    await client.deleteApiKey({ id }, as(world));
    await client.deleteApiKey({ id }, as(world));
    await assert.rejects(client.authenticate({ credential: secret }), refused(Reason.UNAUTHENTICATED));
    await until(() => revoked.length > 0);
    assert.deepEqual(revoked, [{ keyId: id, projectId: "default" }]);
    assert.ok(!(await client.listApiKeys({}, as(world))).apiKeys.some((key) => key.id === id));
  });
});

describe("projects", () => {
  test("projects are created only by callers that may act in any project, with a name of 1-100 characters", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const bound = as(world, { anyProject: false });
    await assert.rejects(client.createProject({ name: "x" }, bound), refused(Reason.FORBIDDEN));
    await assert.rejects(
      client.createProject({ name: "" }, as(world)),
      refused(Reason.INVALID_REQUEST, "name"),
    );
    const { project } = await client.createProject({ name: "Zwei" }, as(world));
    assert.match(project?.id ?? "", /^prj_/);
    const { projects } = await client.listProjects({}, as(world));
    assert.deepEqual(
      projects.map(({ name }) => name),
      ["Default", "Zwei"],
    );
  });
});
