import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import type { Bus } from "../../src/bus.ts";
import type { EventMap } from "../../src/subjects.ts";

type Revoked = EventMap["auth.key-revoked"];

/** Opens as many instances of the bus as a test needs, closed after it. */
export type OpenInstances = (t: TestContext, count: number) => Promise<[Bus, ...Bus[]]>;

const subject = "auth.key-revoked";
const revoked = (keyId: string): Revoked => ({ keyId, projectId: "prj_1" });
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `key_${index}`);

async function publishAll(bus: Bus, keyIds: readonly string[]): Promise<void> {
  for (const keyId of keyIds) await bus.publish(subject, revoked(keyId), { id: `evt_${keyId}` });
}

/** Subscribes and collects the key ids that arrive. */
async function collect(bus: Bus, options: { consumer: string } | { broadcast: true }) {
  const keyIds: string[] = [];
  const subscription = await bus.subscribe(subject, options, async (event) => {
    keyIds.push(event.keyId);
  });
  return { keyIds, subscription };
}

/** The guarantees of a bus. Every adapter must pass all of them. */
export function describeBusContract(name: string, open: OpenInstances): void {
  describe(`${name} keeps the contract of the bus`, () => {
    test("an event arrives with its id and with its fields as published", async (t) => {
      const [bus] = await open(t, 1);
      const received: Array<{ event: Revoked; id: string; redelivered: boolean }> = [];
      let arrivedAtMs = 0;
      let bornAtMs = 0;
      await bus.subscribe(subject, { broadcast: true }, async (event, { publishedAtMs, ...meta }) => {
        received.push({ event, ...meta });
        [bornAtMs, arrivedAtMs] = [publishedAtMs, Date.now()];
      });
      const startMs = Date.now();
      const event = { keyId: "key_1", projectId: "prj_1" };
      const published = bus.publish(subject, event, { id: "evt_1" });
      event.keyId = "changed later";
      await published;
      await until("the event arrives", () => received.length === 1);
      assert.deepEqual(received, [{ event: revoked("key_1"), id: "evt_1", redelivered: false }]);
      // The server of this machine may count finer than milliseconds.
      assert.ok(
        bornAtMs >= startMs - 1 && bornAtMs <= arrivedAtMs + 1,
        `${startMs} ${bornAtMs} ${arrivedAtMs}`,
      );
    });

    test("publish refuses an event that does not have the shape of its subject", async (t) => {
      const [bus] = await open(t, 1);
      const wrong: Revoked = JSON.parse('{"keyId": 7, "projectId": "prj_1"}');
      await assert.rejects(bus.publish(subject, wrong, { id: "evt_1" }), /keyId is not a text/);
    });

    test("a subscription receives only events of its subject, in the order of publication", async (t) => {
      const [bus] = await open(t, 1);
      const { keyIds } = await collect(bus, { consumer: "sorter" });
      const abort = { sessionId: "ses_1", executionId: "exe_1", epoch: 1, reason: "cancelled" } as const;
      await bus.publish("sessions.execution-abort", abort, { id: "evt_other" });
      await publishAll(bus, numbered(30));
      await until("all events arrive", () => keyIds.length === 30);
      assert.deepEqual(keyIds, numbered(30));
    });

    test("a publisher does not wait for handlers", async (t) => {
      const [bus] = await open(t, 1);
      const release = Promise.withResolvers<void>();
      let started = false;
      await bus.subscribe(subject, { broadcast: true }, async () => {
        started = true;
        await release.promise;
      });
      await publishAll(bus, numbered(3));
      await until("the handler starts", () => started);
      release.resolve();
    });

    test("an event whose handler throws is redelivered until it succeeds, and does not block others", async (t) => {
      const [bus] = await open(t, 1);
      const seen: string[] = [];
      let failures = 2;
      await bus.subscribe(subject, { consumer: "flaky" }, async ({ keyId }, { redelivered }) => {
        seen.push(`${keyId}${redelivered ? " again" : ""}`);
        if (keyId === "key_0" && failures-- > 0) throw new Error("not now");
      });
      await publishAll(bus, numbered(3));
      await until("the failed event came twice more", () => seen.length === 5);
      assert.deepEqual(seen, ["key_0", "key_1", "key_2", "key_0 again", "key_0 again"]);
    });

    test("a broadcast reaches every instance, and fails and is repeated for each on its own", async (t) => {
      const [one, two] = await open(t, 2);
      assert.ok(two);
      const seenByOne: string[] = [];
      await one.subscribe(subject, { broadcast: true }, async ({ keyId }) => {
        seenByOne.push(keyId);
        if (seenByOne.length === 1) throw new Error("not now");
      });
      const { keyIds: seenByTwo } = await collect(two, { broadcast: true });
      await publishAll(one, ["key_0"]);
      await until("the first instance got it twice", () => seenByOne.length === 2);
      await until("the second instance got it", () => seenByTwo.length > 0);
      assert.deepEqual(seenByTwo, ["key_0"]);
    });

    test("a broadcast subscription receives every event published after it", async (t) => {
      const [bus] = await open(t, 1);
      await publishAll(bus, ["key_before"]);
      const { keyIds } = await collect(bus, { broadcast: true });
      await publishAll(bus, ["key_after"]);
      await until("the later event arrives", () => keyIds.length > 0);
      assert.deepEqual(keyIds, ["key_after"]);
    });

    test("instances that share a consumer share the work, also while one is busy", async (t) => {
      const [one, two] = await open(t, 2);
      assert.ok(two);
      const release = Promise.withResolvers<void>();
      const busy: string[] = [];
      await one.subscribe(subject, { consumer: "workers" }, async ({ keyId }) => {
        busy.push(keyId);
        await release.promise;
      });
      await publishAll(one, ["key_held"]);
      await until("the first instance is busy", () => busy.length === 1);
      const { keyIds: free } = await collect(two, { consumer: "workers" });
      await publishAll(one, numbered(10));
      await until("the second instance does the rest", () => free.length === 10);
      release.resolve();
      assert.deepEqual([busy, free], [["key_held"], numbered(10)]);
    });

    test("two consumers each get every event", async (t) => {
      const [bus] = await open(t, 1);
      const first = await collect(bus, { consumer: "first" });
      const second = await collect(bus, { consumer: "second" });
      await publishAll(bus, numbered(5));
      await until("both have all", () => first.keyIds.length === 5 && second.keyIds.length === 5);
      assert.deepEqual(first.keyIds, second.keyIds);
    });

    test("events wait for a consumer while none of its instances runs", async (t) => {
      const [one, two] = await open(t, 2);
      assert.ok(two);
      const before = await collect(one, { consumer: "sleeper" });
      await before.subscription.close();
      await before.subscription.close();
      await publishAll(one, numbered(5));
      const after = await collect(two, { consumer: "sleeper" });
      await until("the events arrive", () => after.keyIds.length === 5);
      assert.deepEqual([before.keyIds, after.keyIds], [[], numbered(5)]);
    });

    test("closing the bus waits for the running handler; afterwards it accepts and sends nothing", async (t) => {
      const [bus] = await open(t, 1);
      const release = Promise.withResolvers<void>();
      const log: string[] = [];
      await bus.subscribe(subject, { broadcast: true }, async ({ keyId }) => {
        log.push(`start ${keyId}`);
        await release.promise;
        log.push(`end ${keyId}`);
      });
      await publishAll(bus, numbered(2));
      await until("a handler runs", () => log.length === 1);
      const closed = bus.close().then(() => log.push("closed"));
      setImmediate(release.resolve);
      await closed;
      assert.deepEqual(log, ["start key_0", "end key_0", "closed"]);
      await bus.close();
      await assert.rejects(publishAll(bus, ["key_late"]), /closed/);
      await assert.rejects(collect(bus, { broadcast: true }), /closed/);
    });

    test("a consumer name that a server cannot use is refused", async (t) => {
      const [bus] = await open(t, 1);
      for (const consumer of ["", "a.b", "A", "x".repeat(41), "a b", "*"]) {
        await assert.rejects(collect(bus, { consumer }), TypeError);
      }
    });
  });
}
