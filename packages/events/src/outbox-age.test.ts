import assert from "node:assert/strict";
import { createIds, ManualClock, systemClock } from "@muster/service";
import { openTestStore } from "@muster/store/testing";
import { test } from "vitest";
import { outboxAgeS } from "./outbox-age.ts";
import type { OutboxDocument } from "./outbox-relay.ts";

test("the age of an outbox is that of its oldest event in any document, 0 without events or with ids of another form", async (t) => {
  const { db } = await openTestStore(t);
  const things = db.collection<OutboxDocument>("things");
  const startMs = systemClock.now();
  const clock = new ManualClock(startMs);
  const entry = (atMs: number, id = createIds(() => atMs)("evt")) => ({
    ...{ id, subject: "auth.key-revoked" as const },
    event: { keyId: "key_1", projectId: "prj_1" },
  });
  const age = () => outboxAgeS(things, clock);
  assert.equal(await age(), 0);
  await things.insertOne({ _id: "without", outbox: [] });
  assert.equal(await age(), 0);
  await things.insertOne({ _id: "foreign", outbox: [entry(0, "event-7")] });
  assert.equal(await age(), 0);
  await things.deleteOne({ _id: "foreign" });
  await things.insertOne({ _id: "young", outbox: [entry(startMs - 2_000)] });
  await things.insertOne({ _id: "old", outbox: [entry(startMs - 1_000), entry(startMs - 9_500)] });
  assert.equal(await age(), 9.5);
  await things.deleteOne({ _id: "old" });
  assert.equal(await age(), 2);
});
