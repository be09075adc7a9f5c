import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { silentLogger } from "@muster/service";
import { startProxy, until } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import { startNatsServer } from "../../test/support/nats-server.ts";
import type { Bus, SubscribeOptions } from "../bus.ts";

import { connectNatsBus } from "./connect-nats-bus.ts";

const subject = "auth.key-revoked";

interface Watched {
  bus: Bus;
  keyIds: string[];
  rebuilds: number;
  fatal: Error[];
}

async function openWatched(t: TestContext, url: string, redeliverAfterMs = 10_000): Promise<Watched> {
  const fatal: Error[] = [];
  const onFatal = (error: Error) => fatal.push(error);
  const options = { url, name: "outage", log: silentLogger, onFatal, redeliverAfterMs };
  // On a busy machine, the connection may take longer than a process waits for it when it starts.
  let bus: Bus | undefined;
  for (let triesLeft = 10; bus === undefined && triesLeft > 0; triesLeft -= 1)
    bus = await connectNatsBus(options).catch(() => undefined);
  assert.ok(bus, `no connection to ${url}`);
  t.onTestFinished(() => watched.bus.close());
  const watched: Watched = { bus, keyIds: [], rebuilds: 0, fatal };
  bus.onRebuild(() => {
    watched.rebuilds++;
  });
  return watched;
}

async function collect(watched: Watched, options: SubscribeOptions): Promise<void> {
  await watched.bus.subscribe(subject, options, async ({ keyId }) => {
    watched.keyIds.push(keyId);
  });
}

const publish = (bus: Bus, keyId: string) =>
  bus.publish(subject, { keyId, projectId: "prj_1" }, { id: `evt_${keyId}` });

async function publishUntilTaken(bus: Bus, keyId: string): Promise<void> {
  const accepts = () =>
    publish(bus, keyId).then(
      () => true,
      () => false,
    );
  await until("the bus accepts the event", accepts);
}

// Each has a server of its own, and most of the time passes in waiting for it.
describe("the NATS bus survives outages", () => {
  for (const options of [{ consumer: "worker" }, { broadcast: true }] as const) {
    const kind = "consumer" in options ? "shared" : "broadcast";

    test.concurrent(`after a crash of the server a ${kind} subscription works again and a rebuild is requested`, async (t) => {
      const server = await startNatsServer(t);
      const watched = await openWatched(t, server.url);
      await collect(watched, options);
      await publish(watched.bus, "key_before");
      await until("the first event arrives", () => watched.keyIds.length === 1);
      await server.stop();
      await assert.rejects(
        publish(watched.bus, "key_lost"),
        "an event that no server took is not reported as taken",
      );
      await server.start();
      await publishUntilTaken(watched.bus, "key_after");
      await until("the later event arrives", () => watched.keyIds.includes("key_after"));
      await until("a rebuild is called for", () => watched.rebuilds > 0);
      assert.deepEqual(watched.fatal, []);
    });

    test.concurrent(`a ${kind} subscription whose network was dead receives all missed events without a new one`, async (t) => {
      const server = await startNatsServer(t);
      const proxy = await startProxy(t, server.port);
      const reader = await openWatched(t, `nats://127.0.0.1:${proxy.port}`, 1_000);
      await collect(reader, options);
      const writer = await openWatched(t, server.url);
      proxy.blackhole();
      const missed = Array.from({ length: 20 }, (_, index) => `key_${index}`);
      for (const keyId of missed) await publish(writer.bus, keyId);
      await delay(500);
      assert.deepEqual(reader.keyIds, []);
      proxy.restore();
      // Events whose acknowledgement is late arrive again.
      await until("everything arrives", () => new Set(reader.keyIds).size >= 20);
      assert.deepEqual([...new Set(reader.keyIds)].sort(), missed.sort());
      await until("a rebuild is called for", () => reader.rebuilds > 0);
    });

    test.concurrent(`a ${kind} subscription survives a server that lost all its data`, async (t) => {
      const server = await startNatsServer(t);
      const watched = await openWatched(t, server.url);
      await collect(watched, options);
      for (const keyId of ["key_1", "key_2", "key_3"]) await publish(watched.bus, keyId);
      await until("the events arrive", () => watched.keyIds.length === 3);
      await server.stop();
      await server.wipe();
      await server.start();
      await publishUntilTaken(watched.bus, "key_4");
      await until("the event of the new server arrives", () => watched.keyIds.includes("key_4"));
      await until("a rebuild is called for", () => watched.rebuilds > 0);
    });
  }

  test.concurrent("an event that waits for a shared consumer survives a crash of the server", async (t) => {
    const server = await startNatsServer(t);
    const first = await openWatched(t, server.url);
    const subscription = await first.bus.subscribe(subject, { consumer: "worker" }, async () => undefined);
    await subscription.close();
    await publish(first.bus, "key_waits");
    await server.stop();
    await server.start();
    const second = await openWatched(t, server.url);
    await collect(second, { consumer: "worker" });
    await until("the event arrives", () => second.keyIds.length === 1);
  });

  test.concurrent("a dead instance's events go to another one, whereas a slow handler keeps its events", async (t) => {
    const release = Promise.withResolvers<void>();
    const server = await startNatsServer(t);
    const proxy = await startProxy(t, server.port);
    // Three times as long as a busy machine usually delays a timer.
    const redeliverAfterMs = 2_000;
    const dying = await openWatched(t, `nats://127.0.0.1:${proxy.port}`, redeliverAfterMs);
    await dying.bus.subscribe(subject, { consumer: "worker" }, async ({ keyId }) => {
      dying.keyIds.push(keyId);
      await release.promise;
    });
    // Clean-ups run last in, first out, and closing the bus waits for the handler.
    t.onTestFinished(() => release.resolve());
    await publish(dying.bus, "key_1");
    await until("the first instance has it", () => dying.keyIds.length === 1);
    const other = await openWatched(t, server.url, redeliverAfterMs);
    await collect(other, { consumer: "worker" });
    await delay(2 * redeliverAfterMs);
    assert.deepEqual(other.keyIds, [], "the handler runs for longer than an event may stay unacknowledged");
    proxy.blackhole();
    await until("the other instance gets it", () => other.keyIds.length === 1);
    proxy.restore();
  });

  test.concurrent("revoked credentials end the connection permanently and are reported once", async (t) => {
    const server = await startNatsServer(t);
    await server.stop();
    await server.start(["--user", "muster", "--pass", "first"]);
    const url = server.url.replace("nats://", "nats://muster:first@");
    const watched = await openWatched(t, url);
    await server.stop();
    await server.start(["--user", "muster", "--pass", "second"]);
    await until("the loss is reported", () => watched.fatal.length > 0);
    assert.equal(watched.fatal.length, 1);
    assert.match(String(watched.fatal[0]), /auth/i);
  });

  test.concurrent("closing the bus does not wait for an unreachable server", async (t) => {
    const server = await startNatsServer(t);
    const watched = await openWatched(t, server.url);
    await collect(watched, { broadcast: true });
    await server.stop();
    const startMs = Date.now();
    await watched.bus.close();
    assert.ok(Date.now() - startMs < 4_000);
    assert.deepEqual(watched.fatal, []);
  });

  test.concurrent("an unusable server is reported with its address and a remedy, but without the password", async (t) => {
    const connectTo = (url: string) =>
      connectNatsBus({
        url,
        name: "nobody",
        log: silentLogger,
        onFatal: () => assert.fail("nothing was connected"),
      });
    await assert.rejects(connectTo("nats://someone:hunter2@127.0.0.1:1"), (error: Error) => {
      assert.match(error.message, /127\.0\.0\.1:1 cannot be reached.*NATS_URL/);
      assert.doesNotMatch(error.message, /hunter2/);
      return true;
    });
    const plain = await startNatsServer(t, { jetStream: false });
    await assert.rejects(connectTo(plain.url), /without JetStream; start it with --jetstream/);
  });
});
