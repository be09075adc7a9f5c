import assert from "node:assert/strict";
import { isPlatform, platformPrincipal, Reason, readRpcError } from "@muster/rpc";
import { test } from "vitest";
import { as, createWorld, startAuth } from "./support/start-auth.ts";

const refused = (reason: Reason) => (error: unknown) => readRpcError(error).reason === reason;

test("several instances count together, and begin again in the next minute", async (t) => {
  const world = await createWorld(t);
  const { client: one } = await startAuth(t, world);
  const { client: two } = await startAuth(t, world);
  const platform = () => as(world, platformPrincipal);
  const both = (a: number, b: number) => ({
    counts: [
      { bucket: "key:a", added: a },
      { bucket: "key:b", added: b },
    ],
  });
  assert.deepEqual((await one.countRequests(both(2, 0), platform())).totals, [2, 0]);
  const answer = await two.countRequests(both(3, 1), platform());
  assert.deepEqual(answer.totals, [5, 1]);
  assert.ok(answer.remainingMs > 0 && answer.remainingMs <= 60_000);
  world.clock.advance(answer.remainingMs);
  assert.deepEqual((await one.countRequests(both(1, 0), platform())).totals, [1, 0]);
});

test("counts that are added at once are all kept", async (t) => {
  const world = await createWorld(t);
  const { client } = await startAuth(t, world);
  const add = () =>
    client.countRequests({ counts: [{ bucket: "a", added: 1 }] }, as(world, platformPrincipal));
  await Promise.all(Array.from({ length: 50 }, add));
  assert.deepEqual((await add()).totals, [51]);
});

test("only the platform counts, and nonsense is refused", async (t) => {
  const world = await createWorld(t);
  const { client } = await startAuth(t, world);
  const counts = [{ bucket: "a", added: 1 }];
  await assert.rejects(client.countRequests({ counts }, as(world)), refused(Reason.FORBIDDEN));
  await assert.rejects(client.countRequests({ counts }), refused(Reason.UNAUTHENTICATED));
  for (const bad of [[], [{ bucket: "", added: 1 }], [{ bucket: "x".repeat(201), added: 1 }]]) {
    const call = client.countRequests({ counts: bad }, as(world, platformPrincipal));
    await assert.rejects(call, refused(Reason.INVALID_REQUEST));
  }
});

test("the platform itself has no permission and no project", () => {
  assert.ok(isPlatform(platformPrincipal));
  assert.equal(platformPrincipal.permissions.size, 0);
  assert.ok(!isPlatform({ ...platformPrincipal, keyId: "key_1" }));
});
