import assert from "node:assert/strict";
import { record, TestClient, textOf, until } from "@muster/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgent, openSession, startTurn } from "./support/cluster-client.ts";
import { type LocalCluster, startLocalCluster } from "./support/local-cluster.ts";
import { processNames } from "./support/settings.ts";

let cluster: LocalCluster;
let clients: TestClient[];
let first: TestClient;
let second: TestClient;
let agentId: string;

beforeAll(async () => {
  // One of each saves time; the gateways are two, as behind the proxy.
  cluster = await startLocalCluster({ replicas: { sessions: 1 } });
  clients = (cluster.addresses.get("gateway") ?? []).map(
    (address) => new TestClient(`http://${address}`, cluster.adminKey),
  );
  const [one, other, ...more] = clients;
  assert.ok(one && other && more.length === 0);
  [first, second] = [one, other];
  agentId = await createAgent(first);
});

afterAll(() => cluster?.destroy());

describe("the processes of compose.yaml, each with its environment from there", () => {
  test("every gateway becomes ready, so all dependencies of all processes respond", async () => {
    for (const client of clients) {
      // A check has a second, which can be too short while all processes start on one machine.
      let last: unknown;
      await until("the gateway is ready", async () => {
        last = await (await client.request("GET", "/readyz")).json();
        return record(last).status === "ready";
      });
      expect(Object.keys(record(record(last).dependencies))).toEqual(
        expect.arrayContaining(["auth", "workforce", "events"]),
      );
    }
  });

  test("a session opened through one gateway runs its turn through the other", async () => {
    const reader = await startTurn(second, await openSession(first, agentId), "Hello there");
    const events = await reader.rest();
    assert.match(textOf(events), /Hello there/);
    assert.equal(events.at(-1)?.finishReason, "stop");
  });

  test("files can be uploaded, so all processes share their folder and their key", async () => {
    const sessionId = await openSession(first, agentId);
    const files = [{ filename: "a.txt", mediaType: "text/plain", size: 5 }];
    const body = { sessionId, files };
    const { files: targets } = await first.json(200, "POST", "/api/files/upload-urls", body);
    assert.ok(Array.isArray(targets) && targets.length === 1);
    const { uploadUrl } = record(targets[0]);
    const uploaded = await fetch(String(uploadUrl), {
      method: "PUT",
      body: "hello",
      headers: { "content-type": "text/plain" },
    });
    assert.equal(uploaded.ok, true, await uploaded.text());
  });

  test("every process serves metrics with the name that the alerts look for, and becomes ready", async () => {
    const read = () => Promise.all(cluster.metricsUrls.map(async (url) => (await fetch(url)).text()));
    const names = (await read()).map(
      (page) => /^muster_build_info\{.*process="(\w+)".*\} 1$/m.exec(page)?.[1],
    );
    assert.deepEqual([...new Set(names)].sort(), processNames.toSorted());
    const isReady = (page: string) => /^muster_ready 1$/m.test(page);
    await until("all processes are ready", async () => (await read()).every(isReady));
  });

  test("all of them stop with 0", async () => {
    const codes = await cluster.stop();
    assert.deepEqual(
      codes,
      codes.map(() => 0),
    );
    assert.equal(codes.length, 7);
  });
});
