import assert from "node:assert/strict";
import { Reason, readRpcError, workforcePrincipal } from "@muster/rpc";
import { describe, type TestContext, test } from "vitest";
import { as, createWorld, startAuth } from "./support/start-auth.ts";

const refused = (reason: Reason) => (error: unknown) => readRpcError(error).reason === reason;
const wanted = { name: "key of Lou", permissions: ["workforce"], agentId: "agt_lou" };

/** The auth service with a caller that is the workforce service, for `default`. */
async function startWithWorkforce(t: TestContext) {
  const world = await createWorld(t);
  const { client } = await startAuth(t, world);
  return { world, client, workforce: as(world, workforcePrincipal("default")) };
}

test("the workforce service creates keys that act on one agent with the permission workforce, although it has no key", async (t) => {
  const { client, workforce } = await startWithWorkforce(t);
  const { apiKey, secret } = await client.createApiKey(wanted, workforce);
  assert.match(secret, /^svc_agt_/);
  assert.match(apiKey?.id ?? "", /^key_/);
  const { principal } = await client.authenticate({ credential: secret });
  assert.deepEqual(
    [principal?.projectId, principal?.agentId, principal?.permissions, principal?.anyProject],
    ["default", "agt_lou", ["workforce"], false],
  );
});

test("the workforce service creates no key with another permission, without an agent or in another project", async (t) => {
  const { world, client, workforce } = await startWithWorkforce(t);
  const { project } = await client.createProject({ name: "Other" }, as(world));
  for (const request of [
    { ...wanted, permissions: ["workforce", "sessions"] },
    { ...wanted, permissions: ["sessions"] },
    { name: "x", permissions: ["workforce"] },
    { name: "x", permissions: ["admin"] },
    { ...wanted, projectId: project?.id ?? "" },
  ]) {
    await assert.rejects(client.createApiKey(request, workforce), refused(Reason.FORBIDDEN));
  }
  const elsewhere = as(world, workforcePrincipal("prj_none"));
  await assert.rejects(client.createApiKey(wanted, elsewhere), refused(Reason.NOT_FOUND));
  const { apiKeys } = await client.listApiKeys({}, as(world));
  assert.deepEqual(
    apiKeys.map(({ id }) => id),
    ["key_bootstrap"],
  );
});

test("a list with an agent has that agent's keys of the caller's project and no others", async (t) => {
  const { world, client, workforce } = await startWithWorkforce(t);
  const { project } = await client.createProject({ name: "Other" }, as(world));
  const made = [];
  for (const agentId of ["agt_lou", "agt_lou", "agt_kim"]) {
    made.push((await client.createApiKey({ ...wanted, agentId }, workforce)).apiKey?.id);
    world.clock.advance(1);
  }
  await client.createApiKey({ ...wanted, projectId: project?.id ?? "" }, as(world));
  await client.createApiKey({ name: "any agent", permissions: ["sessions"] }, as(world));
  const { apiKeys } = await client.listApiKeys({ agentId: "agt_lou" }, workforce);
  assert.deepEqual(
    apiKeys.map(({ id }) => id),
    [made[1], made[0]],
  );
  const everywhere = await client.listApiKeys({ agentId: "agt_lou" }, as(world));
  assert.equal(everywhere.apiKeys.length, 3);
  assert.equal((await client.listApiKeys({}, as(world))).apiKeys.length, 6);
  await assert.rejects(client.listApiKeys({}, workforce), refused(Reason.FORBIDDEN));
});

test("a deletion with an agent ends only a key of that agent", async (t) => {
  const { world, client, workforce } = await startWithWorkforce(t);
  const lou = await client.createApiKey(wanted, workforce);
  const kim = await client.createApiKey({ ...wanted, agentId: "agt_kim" }, workforce);
  const any = await client.createApiKey({ name: "any agent", permissions: ["sessions"] }, as(world));
  for (const key of [kim, any]) {
    const request = { id: key.apiKey?.id ?? "", agentId: "agt_lou" };
    await assert.rejects(client.deleteApiKey(request, workforce), refused(Reason.NOT_FOUND));
    await assert.rejects(client.deleteApiKey(request, as(world)), refused(Reason.NOT_FOUND));
    await client.authenticate({ credential: key.secret });
  }
  const id = lou.apiKey?.id ?? "";
  await assert.rejects(client.deleteApiKey({ id }, workforce), refused(Reason.FORBIDDEN));
  await client.deleteApiKey({ id, agentId: "agt_lou" }, workforce);
  await client.deleteApiKey({ id, agentId: "agt_lou" }, workforce);
  await assert.rejects(client.authenticate({ credential: lou.secret }), refused(Reason.UNAUTHENTICATED));
});

describe("tokens of computers", () => {
  const ofMac = { name: "Lou's mac", computerId: "cmp_mac" };

  test("the workforce service creates a token that identifies a computer and has no permission in any project", async (t) => {
    const { client, workforce } = await startWithWorkforce(t);
    const { apiKey, secret } = await client.createApiKey(ofMac, workforce);
    assert.match(secret, /^svc_cmp_/);
    assert.equal(apiKey?.computerId, "cmp_mac");
    const { principal } = await client.authenticate({ credential: secret });
    assert.deepEqual(
      [principal?.projectId, principal?.computerId, principal?.agentId, principal?.permissions],
      ["default", "cmp_mac", undefined, []],
    );
    assert.equal(principal?.anyProject, false);
  });

  test("a token of a computer has no permissions, no agent and an id of a computer", async (t) => {
    const { client, workforce } = await startWithWorkforce(t);
    for (const wrong of [{ permissions: ["workforce"] }, { agentId: "agt_lou" }, { computerId: "a b" }]) {
      const request = client.createApiKey({ ...ofMac, ...wrong }, workforce);
      await assert.rejects(request, refused(Reason.INVALID_REQUEST));
    }
  });

  test("only the workforce service creates, lists and deletes tokens of computers", async (t) => {
    const { world, client, workforce } = await startWithWorkforce(t);
    const { apiKey, secret } = await client.createApiKey(ofMac, workforce);
    const id = apiKey?.id ?? "";
    const { computerId } = ofMac;
    for (const other of [as(world), as(world, { anyProject: false }), as(world, { computerId })]) {
      await assert.rejects(client.createApiKey(ofMac, other), refused(Reason.FORBIDDEN));
      await assert.rejects(client.listApiKeys({ computerId }, other), refused(Reason.FORBIDDEN));
      await assert.rejects(client.deleteApiKey({ id, computerId }, other), refused(Reason.FORBIDDEN));
    }
    await assert.rejects(client.deleteApiKey({ id }, as(world)), refused(Reason.NOT_FOUND));
    const elsewhere = as(world, workforcePrincipal("prj_other"));
    await assert.rejects(client.deleteApiKey({ id, computerId }, elsewhere), refused(Reason.NOT_FOUND));
    await assert.rejects(
      client.deleteApiKey({ id, computerId: "cmp_other" }, workforce),
      refused(Reason.NOT_FOUND),
    );
    await client.authenticate({ credential: secret });
    await client.deleteApiKey({ id, computerId }, workforce);
    await assert.rejects(client.authenticate({ credential: secret }), refused(Reason.UNAUTHENTICATED));
  });

  test("tokens of computers are listed by their computer, and never among the project's keys", async (t) => {
    const { world, client, workforce } = await startWithWorkforce(t);
    await client.createApiKey(ofMac, workforce);
    const other = await client.createApiKey({ ...ofMac, computerId: "cmp_other" }, workforce);
    const idsIn = async (request: { agentId?: string; computerId?: string }, caller = workforce) =>
      (await client.listApiKeys(request, caller)).apiKeys.map(({ id }) => id);
    assert.deepEqual(await idsIn({ computerId: "cmp_other" }), [other.apiKey?.id]);
    assert.deepEqual(await idsIn({ agentId: "agt_lou" }), []);
    assert.deepEqual(await idsIn({}, as(world)), ["key_bootstrap"]);
    const elsewhere = as(world, workforcePrincipal("prj_other"));
    assert.deepEqual(await idsIn({ computerId: "cmp_other" }, elsewhere), []);
  });
});

test("no key ever gets the id of the workforce service, so no key's principal passes for it", async (t) => {
  const { world, client, workforce } = await startWithWorkforce(t);
  await client.createApiKey(wanted, workforce);
  await client.createApiKey({ name: "workforce", permissions: ["admin"] }, as(world));
  const { apiKeys } = await client.listApiKeys({}, as(world));
  for (const { id } of apiKeys) assert.match(id, /^key_/);
});
