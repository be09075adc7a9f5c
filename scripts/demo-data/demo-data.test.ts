import assert from "node:assert/strict";
import { join } from "node:path";
import { timeOfId } from "@muster/service";
import { TestClient, temporaryDirectory } from "@muster/testing";
import { test } from "vitest";
import { fill } from "./fill.ts";

const dayMs = 24 * 3_600_000;

test("the sample data is a week of work, in which everything has the time at which it happened", async (t) => {
  const startedMs = Date.now();
  const data = join(await temporaryDirectory(t), "data");
  const settings = { DATA_DIR: data };
  const { url, key } = await fill(t, { settings, sessions: 3, seed: 7 });
  const client = new TestClient(url, key);
  const list = async (path: string, name: string): Promise<Array<Record<string, unknown>>> => {
    const found = (await client.json(200, "GET", path))[name];
    assert.ok(Array.isArray(found));
    return found;
  };

  const sessions = await list("/api/agent-sessions", "sessions");
  assert.equal(sessions.length, 3 + 3 + 1);
  for (const { sessionId, createdAt } of sessions)
    assert.ok(Math.abs((timeOfId(String(sessionId)) ?? 0) - Date.parse(String(createdAt))) < 1_000);
  const ages = sessions.map(({ createdAt }) => startedMs - Date.parse(String(createdAt)));
  assert.ok(Math.max(...ages) > dayMs && Math.max(...ages) < 8 * dayMs && Math.min(...ages) > 0);

  const approvals = await list("/api/approvals", "approvals");
  assert.equal(approvals.filter(({ status }) => status === "pending").length, 3);
  assert.equal(approvals.filter(({ status }) => status === "expired").length, 1);

  const threads = await list("/api/admin/workforce/threads?limit=100", "threads");
  const count = (status: string) => threads.filter((thread) => thread.status === status).length;
  assert.deepEqual([count("failed"), count("cancelled"), count("queued")], [1, 1, 3]);
  assert.ok(count("completed") >= 10);

  const from = new Date(startedMs - 8 * dayMs).toISOString().slice(0, 10);
  const days = await list(`/api/usage?groupBy=day&from=${from}`, "groups");
  assert.ok(days.length >= 6 && days.every(({ totalFeeUsd }) => Number(totalFeeUsd) > 0));

  const webhooks = await list("/api/admin/webhooks", "webhooks");
  const webhookId = webhooks.find(({ slug }) => slug === "shop-chat")?.id;
  const deliveries = await list(`/api/admin/webhooks/${webhookId}/deliveries?limit=100`, "deliveries");
  assert.ok(deliveries.some(({ status }) => status === "failed"));
  assert.ok(
    deliveries.some(({ status, attemptCount }) => status === "delivered" && Number(attemptCount) > 2),
  );
}, 180_000);
