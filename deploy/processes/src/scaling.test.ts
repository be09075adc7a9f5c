import assert from "node:assert/strict";
import { readExample } from "@muster/local/testing/example";
import { until } from "@muster/testing";
import { afterAll, beforeAll, test } from "vitest";
import { Cluster } from "./testing/cluster/cluster.ts";
import { Edge } from "./testing/cluster/edge.ts";
import { Load } from "./testing/cluster/load.ts";

let cluster: Cluster;
let edge: Edge;

beforeAll(async () => {
  cluster = await Cluster.start();
  await Promise.all([cluster.add("auth"), cluster.add("agents"), cluster.add("gateway")]);
  edge = new Edge(() => cluster.of("gateway").map(({ address }) => address), cluster.adminKey);
});

afterAll(async () => {
  await edge?.close();
  await cluster?.destroy();
});

test("under load, new agents processes and gateways get requests, those that they replace end, and no request fails", async () => {
  const { agentId } = await edge.json("POST", "/api/agents", await readExample("support-chat"));
  const read = (each: Edge) => each.json("GET", `/api/agents/${agentId}`);
  const load = new Load(edge, { callers: [read, read], streams: 0, words: 0, agentId: String(agentId) });
  const [firstAgents] = cluster.of("agents");
  const [firstGateway] = cluster.of("gateway");
  assert.ok(firstAgents && firstGateway);
  const added = await cluster.add("agents");
  await until("the new agents process gets calls", async () => (await cluster.received(added)).calls > 2);
  assert.equal((await cluster.stop(firstAgents)).code, 0);
  await cluster.add("gateway");
  assert.equal((await cluster.stop(firstGateway)).code, 0);
  const { requests } = load;
  await until("the last processes serve alone", () => load.requests > requests + 5);
  await load.stop();
  assert.deepEqual(load.failures, []);
});
