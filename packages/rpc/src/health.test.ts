import assert from "node:assert/strict";
import { AuthService } from "@muster/proto/auth";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@muster/proto/health";
import { EchoService } from "@muster/proto/testing";
import { type Dependency, NotReadyError, Secret, silentLogger } from "@muster/service";
import { failureOf } from "@muster/testing";
import { onTestFinished, test } from "vitest";
import { verifier } from "../test/support/support.ts";
import { createRpcClient } from "./client.ts";
import { Reason, readRpcError } from "./errors.ts";
import { bindTo, mountPartial } from "./handling.ts";
import { livenessName, selfName } from "./health.ts";
import { createInProcessTransport } from "./in-process-transport.ts";
import { createRpcTransport } from "./rpc-transport.ts";
import { serviceDependency } from "./service-dependency.ts";
import { createServiceHost } from "./service-host.ts";

const gone = () => Promise.reject(new Error("connect ECONNREFUSED 10.0.0.7:27017"));

/** A started service with these dependencies, and clients over its gRPC server. */
async function startService(...dependencies: Dependency[]) {
  let calls = 0;
  const host = createServiceHost<{ count(): number }>({
    name: "echo",
    config: { listen: { host: "127.0.0.1", port: 0 }, principalSecrets: [new Secret("only for this test")] },
    overrides: { log: silentLogger },
    mount: (context) => {
      const bind = bindTo(context, () => undefined);
      return mountPartial(EchoService, { echo: bind(async (ready) => ({ text: String(ready.count()) })) });
    },
    open: async () => ({ context: { count: () => ++calls }, dependencies }),
  });
  await host.start();
  onTestFinished(() => host.stop());
  const transport = createRpcTransport({ addresses: [host.address ?? ""], services: [EchoService] });
  onTestFinished(() => transport.close());
  const health = createRpcClient(Health, transport);
  const statusOf = async (service: string) => (await health.check({ service })).status;
  return { host, transport, statusOf, health, calls: () => calls };
}

test("a service whose store is gone and that has compiled nothing is alive and not serving, and says why", async () => {
  const { statusOf, transport } = await startService(
    { name: "store", check: gone },
    { name: "events", check: async () => {} },
    { name: "compiler", check: gone },
  );
  assert.equal(await statusOf(""), Status.NOT_SERVING);
  assert.equal(await statusOf(EchoService.typeName), Status.NOT_SERVING);
  assert.equal(await statusOf("store"), Status.NOT_SERVING);
  assert.equal(await statusOf("events"), Status.SERVING);
  assert.equal(await statusOf(livenessName), Status.SERVING);
  assert.equal(await statusOf(selfName), Status.SERVING);
  const failure = await failureOf(serviceDependency("echo", transport).check());
  assert.ok(failure instanceof NotReadyError);
  assert.deepEqual(failure.dependencies, { store: "unreachable", compiler: "not_ready" });
});

for (const count of [0, 2])
  test(`a service host that serves ${count} services reports one health`, async () => {
    const services = [EchoService, AuthService].slice(0, count);
    const host = createServiceHost({
      name: "worker",
      config: {
        listen: { host: "127.0.0.1", port: 0 },
        principalSecrets: [new Secret("only for this test")],
      },
      overrides: { log: silentLogger },
      mount: () => services.map((service) => mountPartial(service, {})),
      open: async () => ({ context: {}, dependencies: [{ name: "store", check: gone }] }),
    });
    await host.start();
    onTestFinished(() => host.stop());
    const transport = createRpcTransport({ addresses: [host.address ?? ""], services: [] });
    onTestFinished(() => transport.close());
    const health = createRpcClient(Health, transport);
    const statusOf = async (service: string) => (await health.check({ service })).status;
    assert.equal(await statusOf(""), Status.NOT_SERVING);
    assert.equal(await statusOf(livenessName), Status.SERVING);
    for (const { typeName } of services) assert.equal(await statusOf(typeName), Status.NOT_SERVING);
  });

test("a service whose dependencies respond is serving, over gRPC and in process", async () => {
  const { host, statusOf, transport } = await startService({ name: "store", check: async () => {} });
  assert.equal(await statusOf(""), Status.SERVING);
  await serviceDependency("echo", transport).check();
  const inProcess = createInProcessTransport(host.mounted, { verifier, log: silentLogger });
  await serviceDependency("echo", inProcess).check();
  await host.stop();
  assert.ok((await failureOf(serviceDependency("echo", inProcess).check())) instanceof NotReadyError);
});

test("a watcher of a service's health learns that a dependency no longer responds", async () => {
  let isGone = false;
  const { health } = await startService({
    name: "store",
    check: async () => (isGone ? gone() : undefined),
  });
  const seen: Status[] = [];
  for await (const { status } of health.watch({})) {
    seen.push(status);
    if (seen.length === 2) break;
    isGone = true;
  }
  assert.deepEqual(seen, [Status.SERVING, Status.NOT_SERVING]);
});

test("during an outage of a dependency, calls fail at once: no handler runs and no transport repeats them", async () => {
  let asked = 0;
  let outage: string | undefined = "The document store does not respond.";
  const store = {
    name: "store",
    check: gone,
    outage: () => {
      asked++;
      return outage;
    },
  };
  const { transport, calls } = await startService(store);
  const client = createRpcClient(EchoService, transport);
  const failure = readRpcError(await failureOf(client.echo({})));
  assert.deepEqual([failure.reason, failure.message], [Reason.UNAVAILABLE, outage]);
  assert.deepEqual([calls(), asked], [0, 1]);
  outage = undefined;
  assert.equal((await client.echo({})).text, "1");
});
