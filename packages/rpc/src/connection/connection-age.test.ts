import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { EchoService } from "@muster/proto/testing";
import { until } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { type EchoImpl, startServer } from "../../test/support/support.ts";
import { createRpcClient } from "../client.ts";
import { createRpcTransport } from "../rpc-transport.ts";

/** Passes connections on to an address and counts them. */
async function startCounter(t: TestContext, target: string) {
  const state = { address: "", connections: 0 };
  const server = createServer((client) => {
    state.connections++;
    const upstream = connect(Number(target.split(":")[1]), "127.0.0.1");
    client.on("error", () => upstream.destroy()).pipe(upstream);
    upstream.on("error", () => client.destroy()).pipe(client);
    for (const socket of [client, upstream]) t.onTestFinished(() => void socket.destroy());
  }).listen(0, "127.0.0.1");
  t.onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  state.address = `127.0.0.1:${address.port}`;
  return state;
}

test("connections that reach their age lose no call, not even one that is never repeated, and cut no stream", async (t) => {
  const release = Promise.withResolvers<void>();
  const impl: EchoImpl = {
    async append() {
      await new Promise((resolve) => setImmediate(resolve));
      return { calls: 1 };
    },
    async *count() {
      yield { number: 1 };
      await release.promise;
      yield { number: 2 };
    },
  };
  const start = async () => startCounter(t, (await startServer(t, impl, { maxConnectionAgeMs: 50 })).address);
  const servers = await Promise.all([start(), start()]);
  const transport = createRpcTransport({
    addresses: servers.map(({ address }) => address),
    services: [EchoService],
    // So that each connection would be pinged while its last stream runs.
    keepalive: { quietMs: 10, pingTimeoutMs: 60_000 },
  });
  t.onTestFinished(() => transport.close());
  const client = createRpcClient(EchoService, transport);
  const streams = Array.from({ length: 4 }, () => client.count({})[Symbol.asyncIterator]());
  for (const stream of streams) assert.equal((await stream.next()).value?.number, 1);
  let isRunning = true;
  const callers = Array.from({ length: 3 }, async () => {
    while (isRunning) await client.append({});
  });
  await until("each server had ten connections", () => servers.every(({ connections }) => connections >= 10));
  isRunning = false;
  await Promise.all(callers);
  release.resolve();
  for (const stream of streams) {
    assert.equal((await stream.next()).value?.number, 2);
    assert.equal((await stream.next()).done, true);
  }
});
