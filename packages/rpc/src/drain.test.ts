import assert from "node:assert/strict";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@muster/proto/health";
import { EchoService } from "@muster/proto/testing";
import { aborted, collect, failureOf } from "@muster/testing";
import { describe, test } from "vitest";
import { connectTo, type EchoImpl, startServer } from "../test/support/support.ts";
import { createRpcClient } from "./client.ts";
import { Reason, readRpcError } from "./errors.ts";
import { createRpcTransport } from "./rpc-transport.ts";

describe("a server that stops", () => {
  test("a stopping server allows running calls to end", async (t) => {
    const started = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const { address, server } = await startServer(
      t,
      {
        async echo() {
          started.resolve();
          await release.promise;
          return { text: "done" };
        },
        async *count() {
          yield { number: 1 };
          await release.promise;
          yield { number: 2 };
        },
      },
      { drainMs: 10_000 },
    );
    const client = connectTo(t, address);
    const unary = client.echo({});
    const reader = client.count({})[Symbol.asyncIterator]();
    await reader.next();
    await started.promise;
    const stopped = server.stop();
    release.resolve();
    assert.equal((await unary).text, "done");
    assert.equal((await reader.next()).value?.number, 2);
    assert.equal((await reader.next()).done, true);
    await stopped;
  });

  test("a stopping server sends new calls elsewhere while old ones end", async (t) => {
    const release = Promise.withResolvers<void>();
    const first = await startServer(
      t,
      {
        echo: () => ({ server: "first" }),
        append: () => ({ calls: 1 }),
        async *count() {
          yield { number: 1 };
          await release.promise;
        },
      },
      { drainMs: 10_000 },
    );
    const second = await startServer(t, {
      echo: () => ({ server: "second" }),
      append: () => ({ calls: 2 }),
      async *count() {
        yield { number: 1 };
        await release.promise;
      },
    });
    const client = connectTo(t, first.address, second.address);
    const readers = Array.from({ length: 8 }, () => client.count({})[Symbol.asyncIterator]());
    await Promise.all(readers.map((reader) => reader.next()));
    const stopped = first.server.stop();
    // No call is lost, not even one that is never repeated.
    for (let i = 0; i < 50; i++) assert.equal((await client.append({})).calls > 0, true);
    for (let i = 0; i < 50; i++) assert.equal((await client.echo({})).server, "second");
    release.resolve();
    for (const reader of readers) assert.equal((await reader.next()).done, true);
    await stopped;
  });

  test("a stopping server loses no call of busy clients, not even one that is never repeated", async (t) => {
    const counted = new Map<string, number>();
    const implOf = (name: string): EchoImpl => ({
      async append() {
        counted.set(name, (counted.get(name) ?? 0) + 1);
        await new Promise((resolve) => setImmediate(resolve));
        return { calls: 1 };
      },
    });
    const first = await startServer(t, implOf("first"), { drainMs: 10_000 });
    const second = await startServer(t, implOf("second"));
    const clients = [1, 2].map(() => connectTo(t, first.address, second.address));
    let answered = 0;
    let isRunning = true;
    const callers = clients.flatMap((client) =>
      Array.from({ length: 8 }, async () => {
        for (; isRunning; answered++) await client.append({});
      }),
    );
    while ((counted.get("first") ?? 0) < 50) await Promise.race([clients[0]?.append({}), callers[0]]);
    await first.server.stop();
    const after = counted.get("second") ?? 0;
    while ((counted.get("second") ?? 0) < after + 200) await clients[0]?.append({});
    isRunning = false;
    await Promise.all(callers);
    assert.ok(answered > 200);
  });

  test("a stopping server ends within its deadline although a stream never ends, and reports why", async (t) => {
    const seen = Promise.withResolvers<unknown>();
    const { address, server } = await startServer(
      t,
      {
        async *count(_request, { signal }) {
          yield { number: 1 };
          seen.resolve(await aborted(signal));
          await new Promise(() => {});
        },
      },
      { drainMs: 100 },
    );
    const reader = connectTo(t, address).count({})[Symbol.asyncIterator]();
    await reader.next();
    const stopped = server.stop();
    const failure = readRpcError(await failureOf(reader.next()));
    assert.equal(failure.reason, Reason.UNAVAILABLE);
    assert.equal(readRpcError(await seen.promise).reason, Reason.UNAVAILABLE);
    // The handler never returns: without the deadline, this would outlast the test's timeout.
    await stopped;
  });

  test("a stopping server ends within its deadline although a client neither reads nor closes its streams", async (t) => {
    const { address, server } = await startServer(
      t,
      {
        async *count() {
          for (;;) yield { text: "x".repeat(100_000) };
        },
      },
      { drainMs: 50 },
    );
    const reader = connectTo(t, address).count({})[Symbol.asyncIterator]();
    await reader.next();
    await server.stop();
    await failureOf(
      (async () => {
        for (;;) if ((await reader.next()).done) return;
      })(),
    );
  });

  test("a server may be stopped twice, and before it has started", async (t) => {
    const { server } = await startServer(t, {});
    await Promise.all([server.stop(), server.stop()]);
  });

  test("a stopping server notifies its health watchers, which delay nothing", async (t) => {
    const { address, server } = await startServer(t, {}, { drainMs: 10_000 });
    const transport = createRpcTransport({ addresses: [address], services: [Health] });
    t.onTestFinished(() => transport.close());
    const health = createRpcClient(Health, transport);
    assert.equal((await health.check({})).status, Status.SERVING);
    assert.equal((await health.check({ service: EchoService.typeName })).status, Status.SERVING);
    const watching = health.watch({ service: EchoService.typeName })[Symbol.asyncIterator]();
    assert.equal((await watching.next()).value?.status, Status.SERVING);
    const stopped = server.stop();
    assert.equal((await watching.next()).value?.status, Status.NOT_SERVING);
    assert.equal((await watching.next()).done, true);
    await stopped;
  });
});

test("a server on a port in use fails to start", async (t) => {
  const { address } = await startServer(t, {});
  const port = Number(address.split(":")[1]);
  await assert.rejects(startServer(t, {}, { port }), /address|EADDRINUSE/);
});

test("a server without calls stops at once", async (t) => {
  const { address, server } = await startServer(
    t,
    {
      async *count() {
        yield {};
      },
    },
    { drainMs: 600_000 },
  );
  await collect(connectTo(t, address).count({}));
  // Waiting for the whole time would outlast the test's timeout.
  await server.stop();
});
