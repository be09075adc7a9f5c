import assert from "node:assert/strict";
import { describe, type TestContext, test } from "vitest";
import { as, createWorld, startAuth } from "./testing.ts";

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

describe("what a key that no longer works creates", () => {
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
});
