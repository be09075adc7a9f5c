import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type CallPrincipal, Reason, readRpcError } from "@muster/rpc";
import { hashCredential, newCredential } from "@muster/service/credentials";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { as, createWorld, startAuth, type World } from "./support/start-auth.ts";

type Client = Awaited<ReturnType<typeof startAuth>>["client"];

const refused = (reason: Reason) => (error: unknown) => readRpcError(error).reason === reason;

/** A key that may mint, and call options for it. */
async function makeMinter(world: World, client: Client, fields: Parameters<Client["createApiKey"]>[0] = {}) {
  const request = { name: "minter", permissions: ["sessions", "mint-tokens"], ...fields };
  const { apiKey, secret } = await client.createApiKey(request, as(world));
  assert.ok(apiKey);
  const { id, projectId, agentId } = apiKey;
  const principal: Partial<CallPrincipal> = {
    keyId: id,
    projectId,
    anyProject: false,
    permissions: new Set(["sessions", "mint-tokens"]),
    ...(agentId === undefined ? {} : { agentId }),
  };
  return { id, secret, by: as(world, principal) };
}

const principalOf = async (client: Client, credential: string) =>
  (await client.authenticate({ credential })).principal;

const isDead = (client: Client, credential: string) =>
  assert.rejects(client.authenticate({ credential }), refused(Reason.UNAUTHENTICATED));

describe("the principal of a token", () => {
  test("a token has only the permission sessions, its agent and its session, whatever its key may do", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const ofAgent = await client.mintToken({ agentId: "agt_1" }, as(world));
    const ofSession = await client.mintToken({ agentId: "agt_1", sessionId: "ses_1" }, as(world));
    const common = { projectId: "default", keyId: "key_bootstrap", anyProject: false, agentId: "agt_1" };
    for (const [minted, sessionId] of [
      [ofAgent, undefined],
      [ofSession, "ses_1"],
    ] as const) {
      const principal = await principalOf(client, minted.token);
      assert.partialDeepStrictEqual(principal, { ...common, permissions: ["sessions"] });
      assert.deepEqual(principal?.permissions, ["sessions"]);
      assert.equal(principal?.sessionId, sessionId);
      assert.equal(principal?.tokenId, minted.tokenId);
      assert.deepEqual(principal?.expiresAt, minted.expiresAt);
    }
  });

  test("a token for a subject has it, and one for none has none", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    for (const subject of ["ada", undefined]) {
      const wanted = { agentId: "agt_1", ...(subject !== undefined && { subject }) };
      const { token } = await client.mintToken(wanted, as(world));
      assert.equal((await principalOf(client, token))?.subject, subject);
    }
    for (const subject of ["", " ", "a\nb", "s".repeat(257)])
      await assert.rejects(client.mintToken({ agentId: "agt_1", subject }, as(world)), (error) => {
        return readRpcError(error).issues[0]?.path === "subject";
      });
  });

  test("a token of a session also has approve if it was minted with it by a key that has it", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const wanted = { agentId: "agt_1", sessionId: "ses_1", approve: true };
    const minter = await makeMinter(world, client);
    await assert.rejects(client.mintToken(wanted, minter.by), (error) => {
      const { reason, message } = readRpcError(error);
      return reason === Reason.FORBIDDEN && message.includes("`approve`");
    });
    const named = as(world, { permissions: new Set(["sessions", "mint-tokens", "approve"]) });
    const implied = as(world, { permissions: new Set(["admin"]) });
    for (const by of [named, implied]) {
      const { token } = await client.mintToken(wanted, by);
      const principal = await principalOf(client, token);
      assert.deepEqual(principal?.permissions, ["sessions", "approve"]);
      assert.equal(principal?.sessionId, "ses_1");
      const without = await client.mintToken({ ...wanted, approve: false }, by);
      assert.deepEqual((await principalOf(client, without.token))?.permissions, ["sessions"]);
    }
  });

  test("a token of a key for any project belongs to the project in which it was minted", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const { project } = await client.createProject({ name: "p" }, as(world));
    const projectId = project?.id ?? "";
    const { token, tokenId } = await client.mintToken({ agentId: "agt_1" }, as(world, { projectId }));
    assert.equal((await principalOf(client, token))?.projectId, projectId);
    const revoke = (options: ReturnType<typeof as>) =>
      client.revokeToken({ by: { case: "tokenId", value: tokenId } }, options);
    assert.equal((await revoke(as(world))).revoked, false);
    assert.equal((await revoke(as(world, { projectId }))).revoked, true);
  });

  test("only the hash of a token is stored, and it survives a restart", async (t) => {
    const world = await createWorld(t);
    const first = await startAuth(t, world);
    const { token } = await first.client.mintToken({ agentId: "agt_1" }, as(world));
    await first.service.stop();
    const second = await startAuth(t, world);
    assert.ok(await principalOf(second.client, token));
    const database = world.store.db.client.db(`${world.store.databasePrefix}_auth`);
    const stored = JSON.stringify(await database.collection("tokens").find().toArray());
    assert.ok(!stored.includes(token.slice("svc_et_".length)));
    assert.ok(stored.includes(hashCredential(token)));
    const indexes = await database.collection("tokens").indexes();
    const byExpiry = indexes.find(({ name }) => name === "expired");
    assert.deepEqual([byExpiry?.key, byExpiry?.expireAfterSeconds], [{ expiresAt: 1 }, 3600]);
  });
});

describe("the life of a token", () => {
  test("a token expires to the millisecond", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const { token } = await client.mintToken({ agentId: "agt_1", ttlSeconds: 10 }, as(world));
    world.clock.advance(9_999);
    await principalOf(client, token);
    world.clock.advance(1);
    await isDead(client, token);
  });

  test("a token that is minted while its key is deleted never works", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    for (let i = 0; i < 10; i++) {
      const minter = await makeMinter(world, client);
      const mints = Array.from({ length: 4 }, () => client.mintToken({ agentId: "agt_1" }, minter.by));
      const outcomes = await Promise.allSettled([
        client.deleteApiKey({ id: minter.id }, as(world)),
        ...mints,
      ]);
      assert.equal(outcomes[0]?.status, "fulfilled");
      for (const outcome of outcomes.slice(1)) {
        if (outcome.status === "rejected") assert.ok(refused(Reason.UNAUTHENTICATED)(outcome.reason));
        else await isDead(client, "token" in outcome.value ? outcome.value.token : "");
      }
    }
  });

  test("tokens of the bootstrap key die when its secret is replaced, and stay dead when the old one returns", async (t) => {
    const world = await createWorld(t);
    const [old, newer] = [`svc_sk_${"a".repeat(40)}`, `svc_sk_${"b".repeat(40)}`];
    const { client } = await startAuth(t, world, old);
    const { token } = await client.mintToken({ agentId: "agt_1" }, as(world));
    await principalOf(client, token);
    await startAuth(t, world, newer);
    await isDead(client, token);
    await startAuth(t, world, old);
    await isDead(client, token);
    const again = await client.mintToken({ agentId: "agt_1" }, as(world, { keyGeneration: 2 }));
    await principalOf(client, again.token);
    await client.deleteApiKey({ id: "key_bootstrap" }, as(world));
    await startAuth(t, world, old);
    await isDead(client, again.token);
  });

  test("the use of a token counts as a use of the key that minted it", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const minter = await makeMinter(world, client);
    const { token } = await client.mintToken({ agentId: "agt_1" }, minter.by);
    await principalOf(client, token);
    await until(async () => {
      const { apiKeys } = await client.listApiKeys({}, as(world));
      return apiKeys.find(({ id }) => id === minter.id)?.lastUsedAt !== undefined;
    });
  });
});

describe("who may mint and revoke", () => {
  test("a malformed agent, session or lifetime is refused, and so is a revocation that names nothing", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    for (const request of [
      {},
      { agentId: "a b" },
      { agentId: "agt_1", sessionId: "" },
      { agentId: "agt_1", ttlSeconds: 0 },
      { agentId: "agt_1", approve: true },
    ]) {
      await assert.rejects(client.mintToken(request, as(world)), refused(Reason.INVALID_REQUEST));
    }
    await assert.rejects(client.revokeToken({}, as(world)), refused(Reason.INVALID_REQUEST));
  });
});

describe("revoking", () => {
  test("a revocation stops the token at once and publishes one event, however often it is repeated", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const events: unknown[] = [];
    await world.bus.subscribe("auth.token-revoked", { broadcast: true }, async (event) => {
      events.push(event);
    });
    const { token, tokenId } = await client.mintToken({ agentId: "agt_1" }, as(world));
    const revocations = Array.from({ length: 8 }, (_, i) =>
      client.revokeToken(
        { by: i % 2 === 0 ? { case: "token", value: token } : { case: "tokenId", value: tokenId } },
        as(world),
      ),
    );
    for (const { revoked, tokenId: id } of await Promise.all(revocations)) {
      assert.deepEqual([revoked, id], [true, tokenId]);
    }
    await isDead(client, token);
    await until(() => events.length > 0);
    // The next event shows that no second one of this token was waiting.
    const next = await client.mintToken({ agentId: "agt_1" }, as(world));
    await client.revokeToken({ by: { case: "token", value: next.token } }, as(world));
    await until(() => events.length > 1);
    const of = (id: string) => ({ tokenId: id, projectId: "default" });
    assert.deepEqual(events, [of(tokenId), of(next.tokenId)]);
  });
});

describe("the form of keys", () => {
  test("a key for one agent begins with svc_agt_, any other with svc_sk_", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    for (const [fields, form] of [
      [{}, /^svc_sk_/],
      [{ agentId: "agt_1" }, /^svc_agt_/],
      [{ agentId: "agt_1", permissions: ["workforce"] }, /^svc_agt_/],
    ] as const) {
      const { secret } = await makeMinter(world, client, fields as object);
      assert.match(secret, form);
      assert.ok(await principalOf(client, secret));
    }
  });

  test("a key that an earlier release stored without a checksum keeps working", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const { id } = await makeMinter(world, client);
    const old = `svc_sk_${newCredential("key", randomBytes).slice(7, 39)}`;
    const keys = world.store.db.client
      .db(`${world.store.databasePrefix}_auth`)
      .collection<{ _id: string }>("api_keys");
    await keys.updateOne({ _id: id }, { $set: { hash: hashCredential(old) } });
    assert.equal((await principalOf(client, old))?.keyId, id);
  });

  test("a credential with a wrong checksum is not looked up: it is refused although its hash is stored", async (t) => {
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    const { token, tokenId } = await client.mintToken({ agentId: "agt_1" }, as(world));
    const { id, secret } = await makeMinter(world, client);
    const database = world.store.db.client.db(`${world.store.databasePrefix}_auth`);
    for (const [collection, _id, credential] of [
      ["tokens", tokenId, token],
      ["api_keys", id, secret],
    ] as const) {
      const wrong = credential.slice(0, -1) + (credential.endsWith("0") ? "1" : "0");
      const documents = database.collection<{ _id: string }>(collection);
      await documents.updateOne({ _id }, { $set: { hash: hashCredential(wrong) } });
      await isDead(client, wrong);
    }
  });
});
