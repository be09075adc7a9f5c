import assert from "node:assert/strict";
import { AuthService } from "@muster/proto/auth";
import { createRpcClient, mountPartial } from "@muster/rpc";
import { silentLogger } from "@muster/service";
import { type TestContext, test } from "vitest";
import { createContext } from "../src/context.ts";
import { createApiKey } from "../src/rpc/create-api-key.ts";
import { createIdentityProvider } from "../src/rpc/create-identity-provider.ts";
import { as, createWorld, inProcess, startAuth } from "./support/start-auth.ts";

const leaked = `svc_sk_${"a".repeat(40)}`;
const fresh = `svc_sk_${"b".repeat(40)}`;

/** The bootstrap secret is replaced while a gateway that missed the event still has the old one's identity. */
async function replaced(t: TestContext) {
  const world = await createWorld(t);
  const first = await startAuth(t, world, leaked);
  const { principal: before } = await first.client.authenticate({ credential: leaked });
  const holder = as(world, { keyGeneration: before?.keyGeneration ?? 0 });
  await first.service.stop();
  const { client } = await startAuth(t, world, fresh);
  const { principal: after } = await client.authenticate({ credential: fresh });
  return { client, holder, owner: as(world, { keyGeneration: after?.keyGeneration ?? 0 }) };
}

type Client = Awaited<ReturnType<typeof startAuth>>["client"];
type CallOptions = ReturnType<typeof as>;

const creations: Record<string, (client: Client, by: CallOptions) => Promise<unknown>> = {
  "a key": (client, by) => client.createApiKey({ name: "successor", permissions: ["admin"] }, by),
  "an identity provider": (client, by) =>
    client.createIdentityProvider(
      {
        ...{
          name: "successor",
          issuer: "https://idp.example",
          conditions: [{ claim: "sub", equals: ["x"] }],
        },
        scope: { agent: { case: "agentId", value: "agt_1" } },
      },
      by,
    ),
};

/** A second client of the service, for whose creations something can happen just before they are written. */
async function startGated(t: TestContext) {
  const world = await createWorld(t);
  const { client } = await startAuth(t, world);
  const { db, databasePrefix } = world.store;
  const overrides = { bus: world.bus, clock: world.clock, log: silentLogger };
  const context = createContext({}, overrides, db.client.db(`${databasePrefix}_auth`));
  let before = async () => {};
  const gate = <T>(insert: (document: T) => Promise<void>) => {
    return async (document: T) => {
      await before();
      await insert(document);
    };
  };
  const { keys, identityProviders } = context;
  const slow = {
    ...context,
    keys: { ...keys, insert: gate(keys.insert) },
    identityProviders: { ...identityProviders, insert: gate(identityProviders.insert) },
  };
  const mounted = mountPartial(AuthService, {
    createApiKey: (request, call) => createApiKey(slow, request, call),
    createIdentityProvider: (request, call) => createIdentityProvider(slow, request, call),
  });
  const gated = createRpcClient(AuthService, inProcess(world, [mounted]));
  const whenInserting = (action: () => Promise<void>) => {
    before = action;
  };
  return { world, client, gated, whenInserting };
}

test("a replaced secret mints no token, and the new one does", async (t) => {
  const { client, holder, owner } = await replaced(t);
  await assert.rejects(client.mintToken({ agentId: "agt_1" }, holder), /valid API key/);
  const { token } = await client.mintToken({ agentId: "agt_1" }, owner);
  await client.authenticate({ credential: token });
});

test("a replaced secret creates no key, and the new one does", async (t) => {
  const { client, holder, owner } = await replaced(t);
  const wanted = { name: "successor", permissions: ["admin"] };
  await assert.rejects(client.createApiKey(wanted, holder), /valid API key/);
  const { secret } = await client.createApiKey(wanted, owner);
  await client.authenticate({ credential: secret });
});

test("a replaced secret creates no project, and the new one does", async (t) => {
  const { client, holder, owner } = await replaced(t);
  await assert.rejects(client.createProject({ name: "successor" }, holder), /valid API key/);
  await client.createProject({ name: "successor" }, owner);
  const { projects } = await client.listProjects({}, owner);
  assert.deepEqual(
    projects.map(({ name }) => name),
    ["Default", "successor"],
  );
});

for (const [what, create] of Object.entries(creations)) {
  test(`${what} that a key creates while it is deleted, after the check of the key, does not stay`, async (t) => {
    const { world, client, gated, whenInserting } = await startGated(t);
    const { apiKey } = await client.createApiKey({ name: "a", permissions: ["admin"] }, as(world));
    const id = apiKey?.id ?? "";
    const by = as(world, { keyId: id, anyProject: false });
    const lists = async () => [
      (await client.listApiKeys({}, as(world))).apiKeys.map(({ name }) => name),
      (await client.listIdentityProviders({}, as(world))).identityProviders.map(({ name }) => name),
    ];
    await create(gated, by);
    const [keysBefore, providersBefore] = await lists();
    assert.ok(keysBefore?.includes("successor") !== providersBefore?.includes("successor"));
    let listed: unknown;
    whenInserting(async () => {
      await client.deleteApiKey({ id }, as(world));
      listed = await lists();
    });
    await assert.rejects(create(gated, by), /valid API key/);
    assert.ok(listed !== undefined, "the key was deleted between the check and the write");
    assert.deepEqual(await lists(), listed);
  });
}

test("every working key that a deleted one created is in a list that follows the deletion", async (t) => {
  const world = await createWorld(t);
  const { client } = await startAuth(t, world);
  for (let round = 0; round < 10; round++) {
    const { apiKey } = await client.createApiKey({ name: "a", permissions: ["admin"] }, as(world));
    const by = as(world, { keyId: apiKey?.id ?? "", anyProject: false });
    const creations = Array.from({ length: 5 }, () =>
      client.createApiKey({ name: "successor", permissions: ["admin"] }, by).catch(() => undefined),
    );
    await client.deleteApiKey({ id: apiKey?.id ?? "" }, as(world));
    const { apiKeys } = await client.listApiKeys({}, as(world));
    const listed = new Set(apiKeys.map(({ id }) => id));
    for (const made of await Promise.all(creations)) {
      if (made === undefined || listed.has(made.apiKey?.id ?? "")) continue;
      await assert.rejects(client.authenticate({ credential: made.secret }));
    }
  }
});
