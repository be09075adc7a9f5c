import assert from "node:assert/strict";
import { hash } from "node:crypto";
import type { AuditEntry } from "@muster/events/audit";
import { type CallPrincipal, platformPrincipal, Reason, readRpcError } from "@muster/rpc";
import { hashCredential } from "@muster/service/credentials";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { as, createWorld, startAuth, type World } from "./support/start-auth.ts";

type Client = Awaited<ReturnType<typeof startAuth>>["client"];

const minutes = 60_000;
const idleMs = 8 * 60 * minutes;

const refused = (reason: Reason) => (error: unknown) => readRpcError(error).reason === reason;

const principalOf = async (client: Client, credential: string) =>
  (await client.authenticate({ credential })).principal;

const isDead = (client: Client, credential: string) =>
  assert.rejects(client.authenticate({ credential }), refused(Reason.UNAUTHENTICATED));

/** A key, and call options for it. */
async function makeKey(world: World, client: Client, fields: Parameters<Client["createApiKey"]>[0] = {}) {
  const request = { name: "k", permissions: ["sessions", "approve"], ...fields };
  const { apiKey } = await client.createApiKey(request, as(world));
  assert.ok(apiKey);
  const { id, projectId, agentId } = apiKey;
  const permissions: CallPrincipal["permissions"] = new Set(["sessions", "approve"]);
  const own = { keyId: id, projectId, anyProject: false, permissions, ...(agentId && { agentId }) };
  return { id, principal: own, by: as(world, own) };
}

function storedIn(world: World) {
  const database = world.store.db.client.db(`${world.store.databasePrefix}_auth`);
  return database.collection<{ _id: string; expiresAt: Date }>("tokens");
}

describe("the principal of a login", () => {
  test("a login has the project, the permissions and the agent of its key, and an id of its own", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    for (const fields of [{}, { agentId: "agt_1" }]) {
      const { id, by } = await makeKey(world, client, fields);
      const { secret, loginId } = await client.createLogin({}, by);
      const principal = await principalOf(client, secret);
      assert.partialDeepStrictEqual(principal, { projectId: "default", keyId: id, loginId, ...fields });
      assert.deepEqual(principal?.permissions, ["sessions", "approve"]);
      assert.deepEqual([principal?.tokenId, principal?.anyProject], [undefined, false]);
    }
  });

  test("a login of a key for any project belongs to the project of the key, wherever it was created", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const { project } = await client.createProject({ name: "p" }, as(world));
    const { secret } = await client.createLogin({}, as(world, { projectId: project?.id ?? "" }));
    const { projectId, anyProject, permissions } = (await principalOf(client, secret)) ?? {};
    assert.deepEqual([projectId, anyProject, permissions?.includes("admin")], ["default", true, true]);
  });

  test("only the hash of a login is stored", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const { secret } = await client.createLogin({}, as(world));
    assert.match(secret, /^svc_log_/);
    const stored = JSON.stringify(await storedIn(world).find().toArray());
    assert.ok(!stored.includes(secret.slice("svc_log_".length)));
    assert.ok(stored.includes(hashCredential(secret)));
  });
});

describe("the life of a login", () => {
  test("a login that is not used ends after 8 hours, to the millisecond", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const [used, unused] = [await client.createLogin({}, as(world)), await client.createLogin({}, as(world))];
    world.clock.advance(idleMs - 1);
    await principalOf(client, used.secret);
    world.clock.advance(1);
    await isDead(client, unused.secret);
  });

  test("each use extends a login to 8 hours from then", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const { secret, loginId } = await client.createLogin({}, as(world));
    for (let i = 0; i < 3; i++) {
      world.clock.advance(idleMs - 1);
      const endMs = world.clock.now() + idleMs;
      await principalOf(client, secret);
      await until(
        async () => (await storedIn(world).findOne({ _id: loginId }))?.expiresAt.getTime() === endMs,
      );
    }
    world.clock.advance(idleMs);
    await isDead(client, secret);
  });

  test("the use of a login is written at most every five minutes, and counts as a use of its key", async (t) => {
    const world = await createWorld(t);
    const first = await startAuth(t, world);
    const { id, by } = await makeKey(world, first.client);
    const { secret, loginId, expiresAt } = await first.client.createLogin({}, by);
    const createdEnd = Number(expiresAt?.seconds) * 1_000;
    const useAndStop = async ({ client, service }: typeof first) => {
      await principalOf(client, secret);
      await service.stop();
      const stored = await storedIn(world).findOne({ _id: loginId });
      return Math.floor((stored?.expiresAt.getTime() ?? 0) / 1_000) * 1_000 - createdEnd;
    };
    world.clock.advance(5 * minutes);
    assert.equal(await useAndStop(first), 0);
    world.clock.advance(1_000);
    assert.equal(await useAndStop(await startAuth(t, world)), 5 * minutes + 1_000);
    const { client } = await startAuth(t, world);
    const { apiKeys } = await client.listApiKeys({}, as(world));
    assert.ok(apiKeys.find((key) => key.id === id)?.lastUsedAt);
  });

  test("a login never outlives its key, and ends when the key is deleted", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const inAnHour = { seconds: BigInt(world.clock.now() / 1_000 + 3_600), nanos: 0 };
    const { by } = await makeKey(world, client, { expiresAt: inAnHour });
    const short = await client.createLogin({}, by);
    assert.equal(short.expiresAt?.seconds, inAnHour.seconds);
    assert.equal((await principalOf(client, short.secret))?.expiresAt?.seconds, inAnHour.seconds);
    const key = await makeKey(world, client);
    const { secret } = await client.createLogin({}, key.by);
    await client.deleteApiKey({ id: key.id }, as(world));
    await isDead(client, secret);
    await assert.rejects(client.createLogin({}, key.by), refused(Reason.UNAUTHENTICATED));
  });

  test("logins of the bootstrap key die when its secret is replaced, and stay dead when the old one returns", async (t) => {
    const world = await createWorld(t);
    const [old, newer] = [`svc_sk_${"a".repeat(40)}`, `svc_sk_${"b".repeat(40)}`];
    const { client } = await startAuth(t, world, old);
    const { secret } = await client.createLogin({}, as(world));
    await principalOf(client, secret);
    for (const key of [newer, old]) {
      await startAuth(t, world, key);
      await isDead(client, secret);
    }
  });
});

describe("the login of a user", () => {
  const user = {
    ...{ issuer: "https://login.example.com", subject: "user-7", name: "ada@example.com" },
    ...{ projectId: "default", permissions: ["admin"], claims: { groups: "ops" } },
  };

  test("a login of a user ends 24 hours after it began, however often it is used", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const { secret } = await client.createLogin({ user }, as(world, platformPrincipal));
    const endMs = world.clock.now() + 24 * 60 * minutes;
    for (let hours = 0; hours < 21; hours += 7) {
      world.clock.advance(7 * 60 * minutes);
      const { expiresAt } = (await principalOf(client, secret)) ?? {};
      const expectedMs = Math.min(world.clock.now() + idleMs, endMs);
      assert.equal(expiresAt?.seconds, BigInt(Math.floor(expectedMs / 1_000)));
    }
    world.clock.advance(3 * 60 * minutes - 1);
    await principalOf(client, secret);
    world.clock.advance(1);
    await isDead(client, secret);
  });

  test("the audit log names the login as the actor, with the claims, and a changed permission as a change of the key", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const byPlatform = as(world, platformPrincipal);
    const first = await client.createLogin({ user }, byPlatform);
    const keyId = (await principalOf(client, first.secret))?.keyId ?? "";
    await client.createLogin({ user }, byPlatform);
    await client.createLogin({ user: { ...user, permissions: ["sessions"] } }, byPlatform);
    const auth = world.store.db.client.db(`${world.store.databasePrefix}_auth`);
    const entriesOf = async (collection: string, _id: string) =>
      (await auth.collection<{ _id: string; audit: AuditEntry[] }>(collection).findOne({ _id }))?.audit ?? [];
    const [login] = await entriesOf("tokens", first.loginId);
    assert.deepEqual(login?.actor, { kind: "login", id: first.loginId });
    const { issuer, subject, claims } = user;
    assert.equal(login?.after, hash("sha256", JSON.stringify({ claims, issuer, subject })));
    const actions = (await entriesOf("api_keys", keyId)).map(({ action }) => action);
    assert.deepEqual(actions, ["key.create", "key.update"]);
  });

  test("only the platform names a user, who needs a project and permissions that exist", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    await assert.rejects(client.createLogin({ user }, as(world)), refused(Reason.FORBIDDEN));
    const byPlatform = as(world, platformPrincipal);
    const wrong: Array<[typeof user, Reason]> = [
      [{ ...user, projectId: "prj_none" }, Reason.NOT_FOUND],
      [{ ...user, permissions: ["everything"] }, Reason.INVALID_REQUEST],
      [{ ...user, subject: "" }, Reason.INVALID_REQUEST],
    ];
    for (const [other, reason] of wrong)
      await assert.rejects(client.createLogin({ user: other }, byPlatform), refused(reason));
    assert.equal(await storedIn(world).countDocuments(), 0);
  });

  test("a user who logs in after the deletion of the key has it again, but the logins from before stay dead", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const first = await client.createLogin({ user }, as(world, platformPrincipal));
    const principal = await principalOf(client, first.secret);
    assert.ok(principal);
    const { keyId, loginId = "" } = principal;
    const caller: CallPrincipal = {
      ...{ keyId, loginId, projectId: "default", anyProject: false, permissions: new Set(["admin"]) },
    };
    const wanted = { name: "CI", permissions: ["agents"] };
    const { apiKey } = await client.createApiKey(wanted, as(world, caller));
    // A key lives as long as its creator's, not as long as a login.
    assert.equal(apiKey?.expiresAt, undefined);
    await client.deleteApiKey({ id: keyId }, as(world));
    await isDead(client, first.secret);
    const second = await client.createLogin({ user }, as(world, platformPrincipal));
    assert.equal((await principalOf(client, second.secret))?.keyId, keyId);
    await isDead(client, first.secret);
  });
});

describe("who may log in", () => {
  test("only keys log in: tokens, logins, computers and callers without permissions are refused", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const { principal } = await makeKey(world, client);
    for (const more of [
      { tokenId: "tok_1", agentId: "agt_1" },
      { tokenId: "jwt_1", agentId: "agt_1" },
      { loginId: "log_1" },
      { computerId: "cmp_1" },
      { permissions: new Set<never>() },
    ]) {
      const by = as(world, { ...principal, ...more });
      await assert.rejects(client.createLogin({}, by), refused(Reason.FORBIDDEN), JSON.stringify(more));
    }
    await assert.rejects(client.createLogin({}, as(world, platformPrincipal)), refused(Reason.FORBIDDEN));
  });
});

test("the audit log names the key that logs in, and the login that makes a change", async (t) => {
  const world = await createWorld(t);
  const { client } = await startAuth(t, world);
  const { loginId } = await client.createLogin({}, as(world));
  const { apiKey } = await client.createApiKey(
    { name: "k", permissions: ["sessions"] },
    as(world, { loginId }),
  );
  const auth = world.store.db.client.db(`${world.store.databasePrefix}_auth`);
  const actorOf = async (collection: string, _id = "") =>
    (await auth.collection<{ _id: string; audit: AuditEntry[] }>(collection).findOne({ _id }))?.audit[0]
      ?.actor;
  assert.deepEqual(await actorOf("tokens", loginId), { kind: "key", id: "key_bootstrap" });
  assert.deepEqual(await actorOf("api_keys", apiKey?.id), { kind: "login", id: loginId });
});

describe("logging out", () => {
  test("a login that is ended stops at once and publishes one event, and other logins of the key continue", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const events: unknown[] = [];
    await world.bus.subscribe("auth.token-revoked", { broadcast: true }, async (event) => {
      events.push(event);
    });
    const [one, other] = [await client.createLogin({}, as(world)), await client.createLogin({}, as(world))];
    const end = (secret: string) => client.deleteLogin({ secret }, as(world, platformPrincipal));
    await end(one.secret);
    await isDead(client, one.secret);
    await assert.rejects(end(one.secret), refused(Reason.UNAUTHENTICATED));
    await principalOf(client, other.secret);
    await end(other.secret);
    const of = ({ loginId }: typeof one) => ({ tokenId: loginId, projectId: "default" });
    await until(() => events.length > 1);
    assert.deepEqual(events, [of(one), of(other)]);
  });

  test("only the platform passes on a login that ends, and no token ends that way", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const { secret } = await client.createLogin({}, as(world));
    await assert.rejects(client.deleteLogin({ secret }, as(world)), refused(Reason.FORBIDDEN));
    await principalOf(client, secret);
    const { token } = await client.mintToken({ agentId: "agt_1" }, as(world));
    const asPlatform = as(world, platformPrincipal);
    await assert.rejects(client.deleteLogin({ secret: token }, asPlatform), refused(Reason.UNAUTHENTICATED));
    await principalOf(client, token);
  });

  test("no key with mint-tokens revokes a login as if it were a token", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const { secret, loginId } = await client.createLogin({}, as(world));
    for (const by of [
      { case: "tokenId", value: loginId } as const,
      { case: "token", value: secret } as const,
    ])
      assert.equal((await client.revokeToken({ by }, as(world))).revoked, false);
    await principalOf(client, secret);
  });
});
