import assert from "node:assert/strict";
import { Code } from "@connectrpc/connect";
import { EchoService } from "@muster/proto/testing";
import { collect, failureOf } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import { type EchoClient, type EchoImpl, startServer } from "../../test/support/support.ts";
import { createRpcClient } from "../client.ts";
import { readRpcError } from "../errors.ts";
import type { RpcServer } from "../rpc-server.ts";
import { createRpcTransport } from "../rpc-transport.ts";

const hostOf = (n: number) => `127.0.0.${n}`;

/** A service whose instances have loopback addresses of their own, and one port. */
async function startService(t: TestContext) {
  const servers = new Map<number, RpcServer>();
  let port = 0;
  const add = async (n: number): Promise<void> => {
    const impl: EchoImpl = {
      echo: () => ({ server: hostOf(n) }),
      append: () => ({ calls: n }),
      async *count() {
        yield { text: hostOf(n) };
      },
    };
    const { server, address } = await startServer(t, impl, { host: hostOf(n), port, drainMs: 10_000 });
    port = Number(address.split(":")[1]);
    servers.set(n, server);
  };
  await add(1);
  return { port, add, stop: (n: number) => servers.get(n)?.stop() };
}

type LookUp = (answer: string[]) => Promise<string[]>;

/** A client that looks its name up only when it is needed: the regular look-ups never happen. */
function connect(t: TestContext, port: number, lookUp: LookUp = async (answer) => answer) {
  const dns = { instances: [1], lookUps: 0, lookUp };
  const transport = createRpcTransport({
    addresses: [`echo.test:${port}`],
    services: [EchoService],
    naming: {
      everyMs: 3_600_000,
      lookUp: () => {
        dns.lookUps++;
        return dns.lookUp(dns.instances.map(hostOf));
      },
    },
  });
  t.onTestFinished(() => transport.close());
  return { dns, client: createRpcClient(EchoService, transport) };
}

const calls: Record<string, (client: EchoClient, timeoutMs?: number) => Promise<unknown>> = {
  "that may be repeated": async (client, timeoutMs = 30_000) => (await client.echo({}, { timeoutMs })).server,
  "that is never repeated": async (client, timeoutMs = 30_000) =>
    hostOf((await client.append({}, { timeoutMs })).calls),
  "that streams": async (client, timeoutMs = 30_000) =>
    (await collect(client.count({}, { timeoutMs })))[0]?.text,
};

describe("all instances that a client knows are replaced before it looks the name up again", () => {
  for (const [kind, call] of Object.entries(calls)) {
    test(`a call ${kind} reaches the new instances`, async (t) => {
      const service = await startService(t);
      const { dns, client } = connect(t, service.port);
      assert.equal(await call(client), hostOf(1));
      await service.add(2);
      dns.instances = [2];
      await service.stop(1);
      assert.equal(await call(client), hostOf(2));
    });
  }

  test("calls without a pause lose nothing, however often it happens", async (t) => {
    const service = await startService(t);
    const { dns, client } = connect(t, service.port);
    let isRunning = true;
    let made = 0;
    const callers = Array.from({ length: 8 }, async () => {
      for (; isRunning; made++) await client.append({});
    });
    for (let n = 2; n <= 8; n++) {
      await service.add(n);
      dns.instances = [n];
      await service.stop(n - 1);
      const before = made;
      while (made < before + 50) await Promise.race([client.append({}), ...callers]);
    }
    isRunning = false;
    await Promise.all(callers);
  });

  test("an instance that leaves is replaced before a call needs it", async (t) => {
    const service = await startService(t);
    const { dns, client } = connect(t, service.port);
    await client.echo({});
    await service.add(2);
    await service.add(3);
    dns.instances = [2, 3];
    await service.stop(1);
    const servers = new Set<string>();
    while (servers.size < 2) servers.add((await client.echo({})).server);
    assert.deepEqual([...servers].sort(), [hostOf(2), hostOf(3)]);
  });
});

describe("a service that has no instance left", () => {
  for (const [kind, call] of Object.entries(calls)) {
    test(`a call ${kind} fails with UNAVAILABLE after one more look-up`, async (t) => {
      const service = await startService(t);
      const { dns, client } = connect(t, service.port);
      await call(client);
      await service.stop(1);
      const before = dns.lookUps;
      assert.equal(readRpcError(await failureOf(call(client))).code, Code.Unavailable);
      assert.ok(dns.lookUps > before);
    });
  }

  test("a storm of calls makes few look-ups", async (t) => {
    const service = await startService(t);
    const { dns, client } = connect(t, service.port);
    await client.append({});
    await service.stop(1);
    const startMs = performance.now();
    const failures = await Promise.all(
      Array.from({ length: 500 }, () => failureOf(client.append({})).then(readRpcError)),
    );
    for (const { code } of failures) assert.equal(code, Code.Unavailable);
    const most = 3 + (performance.now() - startMs) / 100;
    assert.ok(dns.lookUps <= most, `${dns.lookUps} look-ups`);
  });

  test("a call fails soon although DNS does not respond, and a call's deadline is kept", async (t) => {
    const service = await startService(t);
    const { dns, client } = connect(t, service.port);
    await client.append({});
    dns.lookUp = () => new Promise(() => {});
    await service.stop(1);
    // Waiting for DNS would outlast the test's timeout.
    assert.equal(readRpcError(await failureOf(client.append({}))).code, Code.Unavailable);
    const { code } = readRpcError(await failureOf(client.append({}, { timeoutMs: 20 })));
    assert.ok(code === Code.Unavailable || code === Code.DeadlineExceeded);
    const controller = new AbortController();
    const left = failureOf(client.append({}, { signal: controller.signal }));
    controller.abort();
    assert.equal(readRpcError(await left).code, Code.Canceled);
  });
});
