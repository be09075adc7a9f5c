import type { Muster, WorkforceThread } from "@muster/client";
import { until } from "@muster/testing";
import type { ModelServer } from "./model-server.ts";
import type { Installation, Teammate } from "./set-up.ts";
import type { StoryTurn } from "./story.ts";

interface Working {
  operations: Muster;
  models: ModelServer;
}

/** Gives a task to a hired agent, and waits until the thread has ended. */
export async function doTask(
  { operations, models }: Working,
  { agentId }: Teammate,
  task: StoryTurn,
): Promise<void> {
  models.add(task);
  await operations.workforce.dispatch(agentId, { message: task.user }).wait();
}

/** Sends an alert to the hook, and waits until the thread that it begins has ended, unless the hook filters it. */
export async function sendAlert(
  { admin, operations, lou, alerts }: Installation,
  models: ModelServer,
  alert: { host: string; problem: string; severity: string },
  task: StoryTurn,
): Promise<void> {
  models.add(task);
  const response = await fetch(alerts.url, {
    method: "POST",
    headers: { authorization: `Bearer ${alerts.secret}`, "content-type": "application/json" },
    body: JSON.stringify(alert),
  });
  const { deliveryId } = Object(await response.json());
  const { pathname } = new URL(alerts.url);
  const hookId = pathname.slice(pathname.lastIndexOf("/") + 1);
  const path = `/api/admin/workforce/agents/${lou.agentId}/hooks/${hookId}/deliveries`;
  let threadId: unknown;
  await until(`the alert of ${alert.host} is settled`, async () => {
    const { deliveries } = await admin.json(200, "GET", path);
    const found = list(deliveries).find(({ id }) => id === deliveryId);
    threadId = found?.threadId;
    return found !== undefined && found.status !== "accepted";
  });
  if (typeof threadId === "string") await operations.workforce.open(lou.agentId, threadId).wait();
}

/** Waits until the schedule has run so many times, and the thread of the latest has ended. */
export async function waitForSchedule(
  { admin, operations }: Pick<Installation, "admin" | "operations">,
  { agentId }: Teammate,
  scheduleId: string,
  count: number,
): Promise<void> {
  const path = `/api/admin/workforce/agents/${agentId}/schedules/${scheduleId}/runs`;
  let threadId: unknown;
  await until("the schedule has started its thread", async () => {
    const runs = list((await admin.json(200, "GET", path)).runs);
    threadId = runs[0]?.threadId;
    return runs.length >= count && typeof threadId === "string";
  });
  await operations.workforce.open(agentId, String(threadId)).wait();
}

/** Leaves an agent with a cancelled thread, others in its queue, and paused. */
export async function leaveQueue(
  { admin, operations, lou }: Installation,
  models: ModelServer,
  endless: StoryTurn,
  messages: readonly string[],
): Promise<void> {
  models.add(endless);
  const { workforce } = operations;
  const current: WorkforceThread = workforce.dispatch(lou.agentId, { message: endless.user });
  await until("the thread runs", async () => (await current.get()).status === "running");
  for (const message of messages) await workforce.dispatch(lou.agentId, { message }).started;
  await admin.json(200, "PATCH", `/api/admin/workforce/agents/${lou.agentId}`, { paused: true });
  await current.cancel();
  await current.wait();
}

function list(value: unknown): Array<Record<string, unknown>> {
  return Array.isArray(value) ? value : [];
}
