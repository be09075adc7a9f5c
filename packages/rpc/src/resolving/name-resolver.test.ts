import assert from "node:assert/strict";
import { Code } from "@connectrpc/connect";
import { EchoService } from "@muster/proto/testing";
import { failureOf, until } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { recordingLog, startServer } from "../../test/support/support.ts";
import { createRpcClient } from "../client.ts";
import { readRpcError } from "../errors.ts";
import { createRpcTransport } from "../rpc-transport.ts";

/** Servers on the loopback addresses 127.0.0.1, 127.0.0.2 and so on with the same port. */
async function startInstances(t: TestContext, count: number) {
  const release = Promise.withResolvers<void>();
  const start = async (n: number, port: number) => {
    const host = `127.0.0.${n}`;
    const impl = {
      echo: () => ({ server: host }),
      async *count() {
        yield { text: host };
        await release.promise;
        yield { text: host };
      },
    };
    return (await startServer(t, impl, { host, port })).address;
  };
  const port = Number((await start(1, 0)).split(":")[1]);
  for (let n = 2; n <= count; n++) await start(n, port);
  return { port, release: () => release.resolve() };
}

/** A client of a name whose addresses the test sets; none means that the name does not resolve. */
function connectToName(t: TestContext, port: number, addresses: string[]) {
  const dns = { addresses, lookUps: 0 };
  const { log, lines } = recordingLog();
  const lookUp = async (host: string) => {
    assert.equal(host, "echo.test");
    dns.lookUps++;
    if (dns.addresses.length === 0) throw new Error("ENOTFOUND");
    return dns.addresses;
  };
  const transport = createRpcTransport({
    addresses: [`echo.test:${port}`],
    services: [EchoService],
    naming: { lookUp, everyMs: 5, log },
  });
  t.onTestFinished(() => transport.close());
  const client = createRpcClient(EchoService, transport);
  const serverOf = async () => (await client.echo({})).server;
  /** The servers of this many calls. */
  const serversOf = async (calls: number) => {
    const servers = new Map<string, number>();
    for (let n = 0; n < calls; n++) {
      const server = await serverOf();
      servers.set(server, (servers.get(server) ?? 0) + 1);
    }
    return servers;
  };
  return { dns, lines, transport, client, serverOf, serversOf };
}

test("a new address gets its share of the calls, and none is lost", async (t) => {
  const { port } = await startInstances(t, 3);
  const { dns, serverOf, serversOf } = connectToName(t, port, ["127.0.0.1"]);
  assert.equal(await serverOf(), "127.0.0.1");
  dns.addresses = ["127.0.0.3", "127.0.0.1", "127.0.0.2"];
  await until("all three respond", async () => (await serversOf(3)).size === 3);
  const counts = [...(await serversOf(300)).values()];
  assert.deepEqual(counts, [100, 100, 100]);
});

test("an address that has gone gets no calls, while the stream on it runs to its end", async (t) => {
  const { port, release } = await startInstances(t, 2);
  const { dns, client, serversOf } = connectToName(t, port, ["127.0.0.1"]);
  const stream = client.count({})[Symbol.asyncIterator]();
  assert.equal((await stream.next()).value?.text, "127.0.0.1");
  dns.addresses = ["127.0.0.2"];
  await until("the calls go to the other", async () => (await serversOf(2)).has("127.0.0.2"));
  assert.deepEqual([...(await serversOf(50)).keys()], ["127.0.0.2"]);
  release();
  assert.equal((await stream.next()).value?.text, "127.0.0.1");
  assert.equal((await stream.next()).done, true);
});

test("the last known instances stay in use while the name does not resolve, which is logged once", async (t) => {
  const { port } = await startInstances(t, 2);
  const { dns, lines, serverOf, serversOf } = connectToName(t, port, ["127.0.0.1"]);
  await serverOf();
  dns.addresses = [];
  const before = dns.lookUps;
  await until("several look-ups have failed", () => dns.lookUps > before + 3);
  assert.deepEqual([...(await serversOf(20)).keys()], ["127.0.0.1"]);
  dns.addresses = ["127.0.0.2"];
  await until("the name resolves again", async () => (await serverOf()) === "127.0.0.2");
  const failures = lines.filter((line) => line.includes("cannot be resolved"));
  assert.equal(failures.length, 1);
});

test("calls to a name that does not resolve yet fail with UNAVAILABLE, and work once it does", async (t) => {
  const { port } = await startInstances(t, 1);
  const { dns, client, serverOf } = connectToName(t, port, []);
  assert.equal(readRpcError(await failureOf(client.append({}))).code, Code.Unavailable);
  dns.addresses = ["127.0.0.1"];
  await until("the calls work", async () => (await serverOf().catch(() => "")) === "127.0.0.1");
});

test("a closed transport looks its name up no more", async (t) => {
  const { port } = await startInstances(t, 1);
  const { dns, transport, serverOf } = connectToName(t, port, ["127.0.0.1"]);
  await serverOf();
  transport.close();
  const { lookUps } = dns;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(dns.lookUps <= lookUps + 1);
});

test("an unchanged answer keeps the connections, in whatever order its addresses are listed", async (t) => {
  const { port } = await startInstances(t, 2);
  const { dns, lines, serversOf } = connectToName(t, port, ["127.0.0.1", "127.0.0.2"]);
  await until("both respond", async () => (await serversOf(2)).size === 2);
  dns.addresses = ["127.0.0.2", "127.0.0.1", "127.0.0.2"];
  const before = dns.lookUps;
  await until("it was looked up again", () => dns.lookUps > before + 2);
  assert.equal(lines.filter((line) => line.includes("have changed")).length, 1);
});
