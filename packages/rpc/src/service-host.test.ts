import assert from "node:assert/strict";
import { EchoService } from "@muster/proto/testing";
import { silentLogger } from "@muster/service";
import { describe, test } from "vitest";
import { createRpcClient } from "./client.ts";
import { Reason, readRpcError } from "./errors.ts";
import { createInProcessTransport } from "./in-process.ts";
import { mountPartial } from "./mount.ts";
import { bindTo, createServiceHost } from "./service-host.ts";
import { failureOf, verifier } from "./testing/support.ts";

const storeFailure = new Error("the store is away");

/** A service that counts how often it is opened and closed; its RPC does what `act` does. */
function hostOf(act: () => Promise<{ text: string }>, openFails = { times: 0 }) {
  const counts = { opened: 0, closed: 0 };
  const host = createServiceHost<{ act: typeof act }>({
    name: "echo",
    log: silentLogger,
    mount: (context) => {
      const bind = bindTo(context, (error) => error === storeFailure);
      return mountPartial(EchoService, { echo: bind((ready) => ready.act()) });
    },
    open: async () => {
      counts.opened += 1;
      if (openFails.times-- > 0) throw new Error("the port is taken");
      const close = async () => {
        counts.closed += 1;
      };
      return { context: { act }, address: "127.0.0.1:1", close };
    },
  });
  const transport = createInProcessTransport(host.mounted, { verifier, log: silentLogger });
  return { host, counts, client: createRpcClient(EchoService, transport) };
}

const hello = async () => ({ text: "hello" });

describe("a service host", () => {
  test("opens once and closes once, however many start and stop it at once", async () => {
    const { host, counts } = hostOf(hello);
    await Promise.all([host.start(), host.start()]);
    assert.equal(host.address, "127.0.0.1:1");
    await Promise.all([host.stop(), host.stop()]);
    await host.stop();
    assert.deepEqual(counts, { opened: 1, closed: 1 });
    assert.equal(host.address, undefined);
  });

  test("stopped while it starts, waits for the start and leaves nothing open", async () => {
    const { host, counts } = hostOf(hello);
    await Promise.all([host.start(), host.stop()]);
    assert.deepEqual(counts, { opened: 1, closed: 1 });
  });

  test("a start that failed may be repeated", async () => {
    const { host, client } = hostOf(hello, { times: 1 });
    await assert.rejects(host.start(), /port is taken/);
    await host.start();
    assert.equal((await client.echo({})).text, "hello");
  });

  test("calls before the start and after the stop are told to come again", async () => {
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

  test("a store that does not answer makes a call unavailable, any other failure stays what it is", async () => {
    let thrown: Error = storeFailure;
    const { host, client } = hostOf(() => Promise.reject(thrown));
    await host.start();
    assert.equal(readRpcError(await failureOf(client.echo({}))).reason, Reason.UNAVAILABLE);
    thrown = new Error("a bug");
    assert.notEqual(readRpcError(await failureOf(client.echo({}))).reason, Reason.UNAVAILABLE);
  });
});
