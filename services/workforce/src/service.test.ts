import assert from "node:assert/strict";
import { Code } from "@connectrpc/connect";
import { WorkforceService } from "@muster/proto/workforce";
import { createRpcClient, createRpcTransport, readRpcError } from "@muster/rpc";
import { Secret, silentLogger } from "@muster/service";
import { test } from "vitest";
import { createWorkforceService } from "./service.ts";

test("every method of the workforce contract fails with UNIMPLEMENTED over the wire", async (t) => {
  const config = {
    listen: { host: "127.0.0.1", port: 0 },
    principalSecret: new Secret("test-secret-of-32-characters-or-more"),
  };
  const service = createWorkforceService(config, { log: silentLogger });
  await service.start();
  t.onTestFinished(() => service.stop());
  assert.ok(service.address);
  const transport = createRpcTransport({ addresses: [service.address], services: [WorkforceService] });
  t.onTestFinished(() => transport.close());
  const client = createRpcClient(WorkforceService, transport);
  const calls = {
    getAgent: () => client.getAgent({}),
    startThread: () => client.startThread({}),
    getThread: () => client.getThread({}),
    listThreads: () => client.listThreads({}),
    followUp: () => client.followUp({}),
    cancelThread: () => client.cancelThread({}),
    streamThreadEvents: async () => {
      for await (const _ of client.streamThreadEvents({})) assert.fail("no event is expected");
    },
  };
  assert.deepEqual(Object.keys(calls), Object.keys(WorkforceService.method));
  for (const call of Object.values(calls)) {
    await assert.rejects(call, (error) => readRpcError(error).code === Code.Unimplemented);
  }
});
