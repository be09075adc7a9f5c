import assert from "node:assert/strict";
import { createIds, createLogger, ManualClock, silentLogger, systemClock } from "@muster/service";
import { openTestStore } from "@muster/store/testing";
import { until } from "@muster/testing";
import type { Collection } from "mongodb";
import { type TestContext, test } from "vitest";
import { startNatsServer } from "../test/support/nats-server.ts";
import type { Bus, PublishOptions } from "./bus.ts";
import { createInProcessBus } from "./in-process-bus.ts";
import { connectNatsBus } from "./nats/connect-nats-bus.ts";
import {
  createOutboxRelay,
  type OutboxDocument,
  type OutboxEntry,
  outboxAgeS,
  publishTo,
} from "./outbox-relay.ts";
import type { Subject } from "./subjects.ts";

const revoked = (keyId: string): OutboxEntry => ({
  id: `evt_${keyId}`,
  subject: "auth.key-revoked",
  event: { keyId, projectId: "prj_1" },
});

class RecordingBus implements Pick<Bus, "publish"> {
  readonly ids: string[] = [];
  refusals = 0;

  async publish<S extends Subject>(_subject: S, _event: unknown, { id }: PublishOptions): Promise<void> {
    if (this.refusals > 0) {
      this.refusals--;
      throw new Error("no server");
    }
    this.ids.push(id);
  }
}

async function openCollection(t: TestContext): Promise<Collection<OutboxDocument>> {
  const { db } = await openTestStore(t);
  return db.collection<OutboxDocument>("things");
}

function startRelay(
  t: TestContext,
  collection: Collection<OutboxDocument>,
  bus: Pick<Bus, "publish">,
  sweepEveryMs = 60_000,
) {
  const relay = createOutboxRelay<OutboxDocument>({
    collection,
    publish: publishTo(bus, silentLogger),
    log: silentLogger,
    clock: new ManualClock(),
    sweepEveryMs,
  });
  t.onTestFinished(() => relay.stop());
  return relay;
}

const isEmpty = async (collection: Collection<OutboxDocument>) =>
  (await collection.countDocuments({ "outbox.id": { $exists: true } })) === 0;

const untilEmpty = (collection: Collection<OutboxDocument>) =>
  until("the outbox is empty", () => isEmpty(collection));

test("events left by an earlier process are published on start, in order, and removed", async (t) => {
  const collection = await openCollection(t);
  await collection.insertOne({ _id: "a", outbox: [revoked("1"), revoked("2"), revoked("3")] });
  await collection.insertOne({ _id: "b", outbox: [] });
  const bus = new RecordingBus();
  await startRelay(t, collection, bus).start();
  await untilEmpty(collection);
  assert.deepEqual(bus.ids, ["evt_1", "evt_2", "evt_3"]);
  assert.deepEqual(await collection.find().sort({ _id: 1 }).toArray(), [
    { _id: "a", outbox: [] },
    { _id: "b", outbox: [] },
  ]);
});

test("a wake-up publishes at once, even while the relay is busy", async (t) => {
  const collection = await openCollection(t);
  const bus = new RecordingBus();
  const relay = startRelay(t, collection, bus);
  await relay.start();
  for (let index = 0; index < 20; index++) {
    await collection.insertOne({ _id: `d${index}`, outbox: [revoked(String(index))] });
    relay.wake();
  }
  await until("all are published long before the next sweep", () => bus.ids.length >= 20, 5_000);
  await untilEmpty(collection);
});

test("an event whose writer died before the wake is found by the sweep", async (t) => {
  const collection = await openCollection(t);
  const bus = new RecordingBus();
  await startRelay(t, collection, bus, 50).start();
  await collection.insertOne({ _id: "a", outbox: [revoked("1")] });
  await until("the event is published", () => bus.ids.length === 1);
});

test("an event that the bus refuses stays until the bus accepts it, and no other overtakes it", async (t) => {
  const collection = await openCollection(t);
  const bus = new RecordingBus();
  bus.refusals = 2;
  await collection.insertOne({ _id: "a", outbox: [revoked("1"), revoked("2")] });
  await startRelay(t, collection, bus).start();
  await untilEmpty(collection);
  assert.deepEqual(bus.ids, ["evt_1", "evt_2"]);
});

test("an event of an unknown subject is left for the version that wrote it", async (t) => {
  const collection = await openCollection(t);
  const bus = new RecordingBus();
  const unknown: OutboxEntry = JSON.parse('{"id": "evt_new", "subject": "later.subject", "event": {}}');
  await collection.insertOne({ _id: "a", outbox: [unknown, revoked("1")] });
  await startRelay(t, collection, bus).start();
  await until("the known one is published", () => bus.ids.length === 1);
  const left = async () => (await collection.findOne({ _id: "a" }))?.outbox.map(({ id }) => id);
  await until("it has left the outbox", async () => (await left())?.length === 1);
  assert.deepEqual([bus.ids, await left()], [["evt_1"], ["evt_new"]]);
});

test("an event that can never be published is logged once, kept, and does not block others", async (t) => {
  const collection = await openCollection(t);
  const bus = createInProcessBus({ log: silentLogger });
  t.onTestFinished(() => bus.close());
  const received: string[] = [];
  await bus.subscribe("auth.key-revoked", { broadcast: true }, async ({ keyId }) => {
    received.push(keyId);
  });
  const broken: OutboxEntry = JSON.parse('{"id": "evt_broken", "subject": "auth.key-revoked", "event": {}}');
  await collection.insertOne({ _id: "a", outbox: [broken, revoked("1")] });
  await collection.insertOne({ _id: "b", outbox: [revoked("2")] });
  const lines: string[] = [];
  const log = createLogger({
    name: "test",
    level: "warn",
    destination: { write: (line) => lines.push(line) },
  });
  const relay = createOutboxRelay<OutboxDocument>({
    collection,
    publish: publishTo(bus, log),
    log,
    sweepEveryMs: 20,
  });
  t.onTestFinished(() => relay.stop());
  await relay.start();
  await until("the others are published", () => received.length >= 2);
  await relay.stop();
  assert.deepEqual(received, ["1", "2"]);
  assert.deepEqual((await collection.findOne({ _id: "a" }))?.outbox, [broken]);
  assert.equal(lines.filter((line) => line.includes("evt_broken")).length, 1);
});

test("a check for waiting events reads no documents that have none", async (t) => {
  const collection = await openCollection(t);
  await startRelay(t, collection, new RecordingBus()).start();
  const idle = Array.from({ length: 50 }, (_, index) => ({ _id: `d${index}`, outbox: [] }));
  await collection.insertMany(idle);
  const plan = await collection.find({ "outbox.id": { $exists: true } }).explain("executionStats");
  assert.equal(plan.executionStats.totalDocsExamined, 0);
});

test("two relays of one collection lose no event", async (t) => {
  const collection = await openCollection(t);
  const bus = new RecordingBus();
  const relays = [startRelay(t, collection, bus), startRelay(t, collection, bus)];
  const ids = Array.from({ length: 30 }, (_, index) => `evt_${index}`);
  await collection.insertMany(ids.map((id, index) => ({ _id: id, outbox: [revoked(String(index))] })));
  await Promise.all(relays.map((relay) => relay.start()));
  await untilEmpty(collection);
  assert.deepEqual([...new Set(bus.ids)].sort(), ids.sort());
});

test("an aborted or stopped relay publishes nothing more and stops at once", async (t) => {
  const collection = await openCollection(t);
  const bus = new RecordingBus();
  const ending = new AbortController();
  const { signal } = ending;
  const relay = createOutboxRelay<OutboxDocument>({
    collection,
    publish: publishTo(bus, silentLogger),
    log: silentLogger,
    signal,
    sweepEveryMs: 60_000,
  });
  await relay.start();
  ending.abort();
  await relay.stop();
  await relay.stop();
  await collection.insertOne({ _id: "a", outbox: [revoked("1")] });
  relay.wake();
  assert.deepEqual(bus.ids, []);
  assert.equal(await isEmpty(collection), false);
});

test("an event written while NATS is down arrives when it is back", async (t) => {
  const server = await startNatsServer(t);
  const collection = await openCollection(t);
  const onFatal = (error: Error) => assert.fail(error);
  const bus = await connectNatsBus({ url: server.url, name: "outbox", log: silentLogger, onFatal });
  t.onTestFinished(() => bus.close());
  const received: string[] = [];
  await bus.subscribe("auth.key-revoked", { broadcast: true }, async ({ keyId }) => {
    received.push(keyId);
  });
  const relay = startRelay(t, collection, bus, 200);
  await relay.start();
  await server.stop();
  await collection.insertOne({ _id: "a", outbox: [revoked("1")] });
  relay.wake();
  await server.start();
  await until("the event arrives", () => received.length > 0, 20_000);
  await untilEmpty(collection);
});

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
