import assert from "node:assert/strict";
import { CollectedMetrics } from "@muster/metrics/testing";
import { createIds } from "@muster/service";
import { until } from "@muster/testing";
import { Collection } from "mongodb";
import { describe, type TestContext, test, vi } from "vitest";
import { readAll, refusal, startWorld, textOf } from "./support/harness.ts";
import { readStart, scripted, startSaying } from "./support/starting.ts";

/** The inserts of sessions wait until `release` is called. */
function holdInserts(t: TestContext) {
  const held = Promise.withResolvers<void>();
  const insertOne = Collection.prototype.insertOne;
  const spy = vi.spyOn(Collection.prototype, "insertOne");
  spy.mockImplementation(async function (this: Collection, ...args) {
    if (this.collectionName === "sessions") await held.promise;
    return insertOne.apply(this, args);
  });
  t.onTestFinished(() => held.resolve());
  return { release: held.resolve, fail: held.reject };
}

describe("the first model call of a new session", () => {
  test("is made while the session is inserted, and its caller sees nothing before that", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "Hello." }] }]);
    const { client } = await world.addInstance();
    const { release } = holdInserts(t);
    let seen = 0;
    const stream = (async function* () {
      for await (const message of client.startSession(startSaying("hi", {}, scripted), world.as())) {
        seen += 1;
        yield message;
      }
    })();
    const reading = readAll(stream);
    await world.provider.received(1);
    await until("the response has been sent", () => world.provider.chunksSent >= 2);
    assert.deepEqual([seen, await world.sessions.countDocuments()], [0, 0]);
    release();
    assert.equal(textOf(await reading), "Hello.");
    assert.equal(world.provider.requests.length, 1);
  });

  test("that fails before the session is inserted ends the turn like any failed call", async (t) => {
    const world = await startWorld(t, [{ status: 401, error: { message: "No such key." } }]);
    const { client } = await world.addInstance();
    const { release } = holdInserts(t);
    const reading = readAll(client.startSession(startSaying("hi", {}, scripted), world.as()));
    await world.provider.received(1);
    release();
    const events = await reading;
    assert.partialDeepStrictEqual(events.at(-1), { type: "error", errorType: "authentication_error" });
    assert.equal(await world.sessions.countDocuments({ lease: null }), 1);
  });

  for (const cause of ["its id exists", "the store fails"]) {
    test(`is aborted and counted if the session cannot be inserted because ${cause}, and stores nothing`, async (t) => {
      const forever = new Promise(() => undefined);
      const world = await startWorld(t, [{ parts: [{ text: "Lost." }, { until: forever }] }]);
      const metrics = new CollectedMetrics("sessions");
      const ids = createIds();
      const newId: typeof ids = (prefix) => (prefix === "ses" ? "ses_1" : ids(prefix));
      const instance = await world.addInstance({}, { metrics, newId });
      if (cause === "its id exists") await readStart(instance, world, startSaying("hi"));
      const stored = async () => [await world.sessions.find().toArray(), await world.logs.countDocuments()];
      const before = await stored();
      const { release, fail } = holdInserts(t);
      const starting = refusal(
        readAll(instance.client.startSession(startSaying("hi", {}, scripted), world.as())),
      );
      await world.provider.received(1);
      if (cause === "its id exists") release();
      else fail(new Error("The disk is broken."));
      await starting;
      await world.provider.requests[0]?.clientGone;
      const counted = (await metrics.read()).total("muster_model_requests_total", { outcome: "unused" });
      assert.equal(counted, 1);
      assert.deepEqual(await stored(), before);
    });
  }
});
