import assert from "node:assert/strict";
import { EchoService } from "@muster/proto/testing";
import { type Logger, Secret, silentLogger } from "@muster/service";
import { failureOf } from "@muster/testing";
import { onTestFinished, test } from "vitest";
import { recordingLog, verifier } from "../test/support/support.ts";
import { createRpcClient } from "./client.ts";
import { Reason, readRpcError } from "./errors.ts";
import { bindTo, mountPartial } from "./handling.ts";
import { createInProcessTransport } from "./in-process-transport.ts";
import { createServiceHost } from "./service-host.ts";

const storeFailure = new Error("the store is away");

/** A service that counts how often it is opened and closed; its RPC does what `act` does. */
function hostOf(act: () => Promise<{ text: string }>, openFails = { times: 0 }) {
  const counts = { opened: 0, closed: 0 };
  const host = createServiceHost<{ act: typeof act }>({
    name: "echo",
    config: { listen: { host: "127.0.0.1", port: 0 }, principalSecrets: [new Secret("only for this test")] },
    overrides: { log: silentLogger },
    mount: (context) => {
      const bind = bindTo(context, (error) =>
        error === storeFailure ? { message: "The store does not respond." } : undefined,
      );
      return mountPartial(EchoService, { echo: bind((ready) => ready.act()) });
    },
    open: async (defer) => {
      counts.opened += 1;
      defer(async () => {
        counts.closed += 1;
      });
      if (openFails.times-- > 0) throw new Error("the port is taken");
      return { context: { act } };
    },
  });
  onTestFinished(() => host.stop());
  const transport = createInProcessTransport(host.mounted, { verifier, log: silentLogger });
  return { host, counts, client: createRpcClient(EchoService, transport) };
}

/** A service that cannot start; `close` closes what it had opened. */
function brokenHost(close: () => Promise<void>, log: Logger = silentLogger) {
  return createServiceHost({
    name: "echo",
    config: { principalSecrets: [new Secret("only for this test")] },
    overrides: { log },
    mount: () => mountPartial(EchoService, {}),
    open: async (defer) => {
      defer(close);
      throw new Error("the port is taken");
    },
  });
}

const hello = async () => ({ text: "hello" });

test("a service host opens once and closes once, however many callers start and stop it", async () => {
  const { host, counts } = hostOf(hello);
  await Promise.all([host.start(), host.start()]);
  assert.match(host.address ?? "", /^127\.0\.0\.1:\d+$/);
  await Promise.all([host.stop(), host.stop()]);
  await host.stop();
  assert.deepEqual(counts, { opened: 1, closed: 1 });
  assert.equal(host.address, undefined);
});

test("a service host that is stopped during its start waits for the start and leaves nothing open", async () => {
  const { host, counts } = hostOf(hello);
  await Promise.all([host.start(), host.stop()]);
  assert.deepEqual(counts, { opened: 1, closed: 1 });
});

test("a failed start closes what it opened and may be repeated", async () => {
  const { host, client, counts } = hostOf(hello, { times: 1 });
  await assert.rejects(host.start(), /port is taken/);
  assert.deepEqual(counts, { opened: 1, closed: 1 });
  await host.start();
  assert.equal((await client.echo({})).text, "hello");
});

test("a start and a stop during the clean-up of a failed start wait until it has ended", async () => {
  const closing = Promise.withResolvers<void>();
  const mayClose = Promise.withResolvers<void>();
  const happened: string[] = [];
  const host = brokenHost(async () => {
    happened.push("closing");
    closing.resolve();
    await mayClose.promise;
    happened.push("closed");
  });
  const first = assert.rejects(host.start(), /port is taken/);
  await closing.promise;
  const second = assert.rejects(host.start(), /port is taken/);
  const stopped = host.stop().then(() => happened.push("stopped"));
  // Every reaction that does not wait for the clean-up runs before this.
  await new Promise(setImmediate);
  mayClose.resolve();
  await Promise.all([first, second, stopped]);
  assert.deepEqual(happened, ["closing", "closed", "stopped"]);
});

test("a running service host warms up when it is told to, and logs if that fails", async () => {
  const { log, lines } = recordingLog();
  let times = 0;
  const host = createServiceHost({
    name: "echo",
    config: { principalSecrets: [new Secret("only for this test")] },
    overrides: { log },
    mount: () => mountPartial(EchoService, {}),
    open: async () => ({
      context: {},
      warmUp: async () => {
        times++;
        throw new Error("the disk is gone");
      },
    }),
  });
  onTestFinished(() => host.stop());
  host.warmUp?.();
  await host.start();
  await new Promise(setImmediate);
  assert.equal(times, 0);
  host.warmUp?.();
  await new Promise(setImmediate);
  assert.equal(times, 1);
  assert.ok(lines.some((line) => line.includes("the disk is gone")));
});

test("a failed start reports its own error even if its clean-up fails, which is logged", async () => {
  const { log, lines } = recordingLog();
  const host = brokenHost(() => Promise.reject(new Error("the disk is gone")), log);
  await assert.rejects(host.start(), /port is taken/);
  assert.ok(lines.some((line) => line.includes("the disk is gone")));
});

test("a service that fails in the last step of its start closes its resources in reverse order", async () => {
  const closed: string[] = [];
  const host = createServiceHost({
    name: "echo",
    config: { principalSecrets: [new Secret("only for this test")] },
    overrides: { log: silentLogger },
    mount: () => mountPartial(EchoService, {}),
    open: async (defer) => {
      for (const name of ["store", "checker"]) defer(async () => closed.push(name));
      const drain = async () => closed.push("calls");
      return { context: {}, drain, finish: () => Promise.reject(new Error("no bootstrap key")) };
    },
  });
  await assert.rejects(host.start(), /no bootstrap key/);
  assert.deepEqual(closed, ["calls", "checker", "store"]);
});

test("calls before the start and after the stop are refused with UNAVAILABLE and a delay", async () => {
  const { host, client } = hostOf(hello);
  const refused = async () => {
    const { reason, retryAfterMs } = readRpcError(await failureOf(client.echo({})));
    assert.equal(reason, Reason.UNAVAILABLE);
    assert.ok(retryAfterMs);
  };
  await refused();
  await host.start();
  assert.equal((await client.echo({})).text, "hello");
  await host.stop();
  await refused();
});

test("an unreachable store makes a call fail with UNAVAILABLE, and other failures stay unchanged", async () => {
  let thrown: Error = storeFailure;
  const { host, client } = hostOf(() => Promise.reject(thrown));
  await host.start();
  assert.equal(readRpcError(await failureOf(client.echo({}))).reason, Reason.UNAVAILABLE);
  thrown = new Error("a bug");
  assert.notEqual(readRpcError(await failureOf(client.echo({}))).reason, Reason.UNAVAILABLE);
});
