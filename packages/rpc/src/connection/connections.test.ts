import assert from "node:assert/strict";
import { Code } from "@connectrpc/connect";
import { EchoService } from "@muster/proto/testing";
import { failureOf, startProxy, until } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { startServer } from "../../test/support/support.ts";
import { createRpcClient } from "../client.ts";
import { readRpcError } from "../errors.ts";
import { createRpcTransport } from "../rpc-transport.ts";

async function connectThrough(t: TestContext, pingTimeoutMs: number) {
  const release = Promise.withResolvers<void>();
  const { address } = await startServer(t, {
    echo: () => ({ text: "here" }),
    async *count() {
      yield { number: 1 };
      await release.promise;
      yield { number: 2 };
    },
  });
  const proxy = await startProxy(t, Number(address.split(":")[1]));
  const transport = createRpcTransport({
    addresses: [`127.0.0.1:${proxy.port}`],
    services: [EchoService],
    keepalive: { quietMs: 20, pingTimeoutMs },
  });
  t.onTestFinished(() => transport.close());
  return { proxy, client: createRpcClient(EchoService, transport), release: () => release.resolve() };
}

test("a broken connection is noticed: its stream fails with UNAVAILABLE, and calls use another one", async (t) => {
  const { proxy, client } = await connectThrough(t, 50);
  const stream = client.count({})[Symbol.asyncIterator]();
  await stream.next();
  proxy.blackhole();
  assert.equal(readRpcError(await failureOf(stream.next())).code, Code.Unavailable);
  proxy.restore();
  const works = async () => (await client.echo({}).catch(() => undefined))?.text === "here";
  await until("calls work again", works);
});

test("a connection whose server responds to pings keeps its quiet stream", async (t) => {
  const { client, release } = await connectThrough(t, 60_000);
  const stream = client.count({})[Symbol.asyncIterator]();
  await stream.next();
  await new Promise((resolve) => setTimeout(resolve, 300));
  release();
  assert.equal((await stream.next()).value?.number, 2);
  assert.equal((await stream.next()).done, true);
});
