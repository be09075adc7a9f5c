import assert from "node:assert/strict";
import { Code, ConnectError } from "@connectrpc/connect";
import { CollectedMetrics } from "@muster/metrics/testing";
import { EchoService } from "@muster/proto/testing";
import { silentLogger } from "@muster/service";
import { failureOf, until } from "@muster/testing";
import { describe, onTestFinished, test } from "vitest";
import { type EchoImpl, verifier } from "../test/support/support.ts";
import { principalHeader } from "./call-options.ts";
import { createRpcClient } from "./client.ts";
import { Reason, rpcError } from "./errors.ts";
import { createInProcessTransport } from "./in-process.ts";
import { mountPartial } from "./mount.ts";
import { createRpcServer } from "./server.ts";
import { createRpcTransport } from "./transport.ts";

const service = EchoService.typeName;

const impl: EchoImpl = {
  async echo({ text }) {
    if (text === "missing") throw rpcError(Reason.NOT_FOUND, "There is none.");
    if (text === "broken") throw new Error("a bug");
    return { text };
  },
  async *count(_request, { signal }) {
    yield { number: 1 };
    while (!signal.aborted) await new Promise((resolve) => setImmediate(resolve));
    throw new ConnectError("left", Code.Canceled);
  },
};

async function overNetwork() {
  const metrics = new CollectedMetrics();
  const services = [mountPartial(EchoService, impl)];
  const server = createRpcServer({
    services,
    verifier,
    metrics,
    log: silentLogger,
    host: "127.0.0.1",
    port: 0,
  });
  const { address } = await server.start();
  onTestFinished(() => server.stop());
  const transport = createRpcTransport({ addresses: [address], services: [EchoService] });
  onTestFinished(() => transport.close());
  return { metrics, client: createRpcClient(EchoService, transport) };
}

async function inProcess() {
  const metrics = new CollectedMetrics();
  const handling = { verifier, metrics, log: silentLogger };
  const transport = createInProcessTransport([mountPartial(EchoService, impl)], handling);
  return { metrics, client: createRpcClient(EchoService, transport) };
}

for (const [name, connect] of Object.entries({ "over gRPC": overNetwork, "in one process": inProcess }))
  describe(`served calls ${name}`, () => {
    test("are counted by the outcome that their caller received, and unary ones timed", async () => {
      const { metrics, client } = await connect();
      await client.echo({ text: "a" });
      await client.echo({ text: "b" });
      await failureOf(client.echo({ text: "missing" }));
      await failureOf(client.echo({ text: "broken" }));
      await failureOf(client.echo({ text: "a" }, { headers: { [principalHeader]: "forged" } }));
      const scraped = await metrics.read();
      const count = (code: string) =>
        scraped.total("muster_rpc_requests_total", { service, method: "Echo", code });
      const codes = ["OK", "NOT_FOUND", "INTERNAL", "UNAUTHENTICATED"];
      assert.deepEqual(codes.map(count), [2, 1, 1, 1]);
      assert.equal(scraped.total("muster_rpc_request_duration_seconds", { service, method: "Echo" }), 5);
    });

    test("that stream are counted once they have ended", async () => {
      const { metrics, client } = await connect();
      for await (const { number } of client.count({})) {
        assert.equal(number, 1);
        assert.equal((await metrics.read()).total("muster_rpc_requests_total"), 0);
        break;
      }
      const count = async () =>
        (await metrics.read()).total("muster_rpc_requests_total", { method: "Count", code: "CANCELED" });
      await until("it has ended", async () => (await count()) === 1);
      assert.equal((await metrics.read()).total("muster_rpc_requests_total"), 1);
      assert.equal((await metrics.read()).total("muster_rpc_request_duration_seconds"), 0);
    });
  });
