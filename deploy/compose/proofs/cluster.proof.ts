// The processes of compose.yaml on this machine, behind a real nginx with the shipped configuration. `npm run test:proxy`
import assert from "node:assert/strict";
import { TestClient, textOf } from "@muster/testing";
import { afterAll, beforeAll, test } from "vitest";
import { createAgent, openSession, startTurn } from "../test/support/cluster-client.ts";
import { type LocalCluster, startLocalCluster } from "../test/support/local-cluster.ts";
import { type RunningProxy, requireNginx, startProxy } from "./nginx.ts";

requireNginx();

let cluster: LocalCluster;
let proxy: RunningProxy;
let client: TestClient;
let agentId: string;

beforeAll(async () => {
  cluster = await startLocalCluster();
  proxy = await startProxy(cluster.addresses.get("gateway") ?? []);
  client = new TestClient(proxy.url, cluster.adminKey);
  agentId = await createAgent(client);
});

afterAll(async () => {
  await proxy?.destroy();
  await cluster?.destroy();
});

test("both gateways are ready behind the proxy", async () => {
  for (let count = 0; count < 4; count++) await client.json(200, "GET", "/readyz");
});

test("the proxy passes a reply on piece by piece", async () => {
  const sessionId = await openSession(client, agentId);
  const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");
  const reader = await startTurn(client, sessionId, words);
  const begun = await reader.readUntil("text-delta");
  assert.doesNotMatch(begun, /"finish"/, "the first words were there before the last ones");
  const events = await reader.rest();
  assert.match(textOf(events), /word59/);
  assert.equal(events.at(-1)?.finishReason, "stop");
});

test("ten turns at the same time all end with their whole replies", async () => {
  const turns = Array.from({ length: 10 }, async (_, index) => {
    const reader = await startTurn(client, await openSession(client, agentId), `turn ${index}`);
    const events = await reader.rest();
    assert.match(textOf(events), new RegExp(`turn ${index}\\b`));
    return events.at(-1)?.finishReason;
  });
  assert.deepEqual([...new Set(await Promise.all(turns))], ["stop"]);
});

test("while a gateway leaves and its streams end, no request fails", async () => {
  const words = "word ".repeat(300);
  const [leaving] = cluster.addresses.get("gateway") ?? [];
  assert.ok(leaving);
  let hasEnded = false;
  const ended = cluster.stopInstance(leaving).then((code) => {
    hasEnded = true;
    return code;
  });
  // Turns begin while the gateway leaves, and end while it drains.
  const converse = async () => {
    while (!hasEnded) {
      const reader = await startTurn(client, await openSession(client, agentId), words);
      assert.equal((await reader.rest()).at(-1)?.finishReason, "stop");
    }
  };
  const conversations = Promise.all(Array.from({ length: 6 }, converse));
  const statuses: number[] = [];
  while (!hasEnded) {
    const response = await client.request("POST", "/api/agent-sessions", { agentId });
    await response.text();
    statuses.push(response.status);
  }
  assert.deepEqual([...new Set(statuses)], [201]);
  assert.equal(await ended, 0);
  await conversations;
});

test("every process stops with 0", async () => {
  const codes = await cluster.stop();
  assert.deepEqual([...new Set(codes)], [0]);
  assert.equal(codes.length, 8);
});
