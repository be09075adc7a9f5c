import assert from "node:assert/strict";
import { afterAll, beforeAll, expect, test } from "vitest";
import { record, TestClient } from "./testing.ts";
import { startTopology, type Topology } from "./topology.ts";

const callers = 100;
const keys = Array.from({ length: 50 }, (_, index) => `build-${index}`);

let topology: Topology;
let agent: { path: string; key: string };

beforeAll(async () => {
  topology = await startTopology({ DEMO_WORD_DELAY_MS: "0" });
  const admin = new TestClient(topology.gateways.toBoth.address, topology.adminKey);
  const body = { name: "Lou", prebuilt: "log-analyst" };
  const hired = await admin.json(201, "POST", "/api/admin/workforce/agents", body);
  agent = { path: `/api/v1/workforce/agents/${String(hired.agentId)}/threads`, key: String(hired.key) };
});

afterAll(() => topology?.destroy());

interface Dispatched {
  status: number;
  threadId: string;
  replayed: string | null;
}

/** Repeats the request while another one with this key is in progress. */
async function dispatch(gateway: string, idempotencyKey: string): Promise<Dispatched> {
  for (;;) {
    const response = await fetch(gateway + agent.path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${agent.key}`,
        "content-type": "application/json",
        "idempotency-key": idempotencyKey,
      },
      body: JSON.stringify({ message: `Why did ${idempotencyKey} fail?` }),
    });
    const { status, headers } = response;
    const { threadId, code } = record(await response.json());
    if (status === 409) {
      assert.equal(code, "IDEMPOTENCY_KEY_IN_PROGRESS");
      continue;
    }
    return { status, threadId: String(threadId), replayed: headers.get("idempotent-replayed") };
  }
}

test("a hundred callers with fifty keys, through two gateways and two workforce processes, start exactly fifty threads", async () => {
  const { toFirst, toSecond } = topology.gateways;
  const threads = new Map<string, Set<string>>(keys.map((key) => [key, new Set()]));
  const statuses: Dispatched[] = [];
  const call = async (caller: number): Promise<void> => {
    for (const [place] of keys.entries()) {
      // Neighbours use the same key at the same time, through different gateways.
      const key = keys[(place + (caller >> 2)) % keys.length] ?? "";
      const answer = await dispatch((caller % 2 === 0 ? toFirst : toSecond).address, key);
      statuses.push(answer);
      threads.get(key)?.add(answer.threadId);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  const created = statuses.filter(({ status }) => status === 201);
  const replayed = statuses.filter(({ status, replayed }) => status === 200 && replayed === "true");
  assert.deepEqual(
    [created.length, replayed.length, statuses.length],
    [keys.length, keys.length * (callers - 1), keys.length * callers],
  );
  assert.ok(created.every((each) => each.replayed === null));
  assert.deepEqual(
    [...threads.values()].map(({ size }) => size),
    keys.map(() => 1),
  );
  const listed = await fetch(`${toFirst.address}${agent.path}?limit=100`, {
    headers: { authorization: `Bearer ${agent.key}` },
  });
  expect(record(await listed.json()).threads).toHaveLength(keys.length);
});
