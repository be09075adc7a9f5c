import { until } from "@muster/testing";
import { doTask, leaveQueue, sendAlert, waitForSchedule } from "./do-task.ts";
import { haveConversation } from "./have-conversation.ts";
import type { ModelServer } from "./model-server.ts";
import type { MovingClock } from "./moving-clock.ts";
import {
  dayMs,
  hourMs,
  type PlannedConversation,
  planConversations,
  planExpiring,
  planWaiting,
} from "./plan-conversations.ts";
import { pushVersion, versionsOf } from "./push-agents.ts";
import type { Random } from "./random.ts";
import type { Installation, Teammate } from "./set-up.ts";
import { alertTask, endlessTask, failingTask, routines, tasks, waitingTasks } from "./stories/tasks.ts";

export interface Week extends Installation {
  models: ModelServer;
  clock: MovingClock;
  random: Random;
  startMs: number;
  endMs: number;
}

export interface Occurrence {
  atMs: number;
  run: () => Promise<unknown>;
}

/** Everything that happens after the first hour, in its order. Creates the schedules. */
export async function planWeek(week: Week, sessions: number): Promise<Occurrence[]> {
  const { random, startMs, endMs, models } = week;
  const conversations = [...planConversations(random, sessions, startMs), ...planWaiting(random, endMs)].map(
    (planned) => ({ atMs: planned.atMs, run: () => converse(week, planned) }),
  );
  const expiring = planExpiring(random, startMs + 3.4 * dayMs);
  return [
    ...conversations,
    { atMs: expiring.atMs, run: () => expire(week, expiring) },
    ...planVersions(week),
    ...planTasks(week, Math.max(3, Math.round(sessions / 9))),
    ...(await planRoutines(week)),
    ...planAlerts(week),
    ...planAdministration(week),
    { atMs: endMs - 0.2 * hourMs, run: () => leaveQueue(week, models, endlessTask, waitingTasks) },
  ].sort((one, other) => one.atMs - other.atMs);
}

async function converse(week: Week, planned: PlannedConversation): Promise<void> {
  const muster = planned.isCustomer ? week.storefront : week.backOffice;
  const { session } = await haveConversation({ ...week, muster }, planned);
  if (!planned.isCleared) return;
  week.clock.advance(0.1 * hourMs);
  await session.clear();
}

/** The call that waits expires, and its turn ends without it. */
async function expire(week: Week, planned: PlannedConversation): Promise<void> {
  const { approvalId = "" } = await haveConversation({ ...week, muster: week.backOffice }, planned);
  week.clock.advance(4.01 * hourMs);
  const { approvals } = week.operations;
  await until("the approval expires", async () => (await approvals.get(approvalId)).status === "expired");
}

function planVersions({ definitions, startMs }: Week): Occurrence[] {
  return Object.entries(versionsOf).flatMap(([slug, count], agent) =>
    Array.from({ length: count - 1 }, (_, index) => ({
      atMs: startMs + ((index + 1) * (6 - agent / 2) * dayMs) / count,
      run: () => pushVersion(definitions, slug, index + 2),
    })),
  );
}

function planTasks(week: Week, count: number): Occurrence[] {
  const { startMs, lou, mika, sam } = week;
  const teammates = [lou, mika, sam] as const;
  const regular = Array.from({ length: count }, (_, index) => {
    const teammate = teammates[index % 3] ?? lou;
    const known = tasks[teammate.prebuilt];
    const task = known[Math.floor(index / 3) % known.length] ?? failingTask;
    return { atMs: startMs + (0.3 + (index * 6.3) / count) * dayMs, run: () => doTask(week, teammate, task) };
  });
  return [...regular, { atMs: startMs + 2.5 * dayMs, run: () => doTask(week, lou, failingTask) }];
}

/** A schedule for every working day, and one for every week. */
async function planRoutines(week: Week): Promise<Occurrence[]> {
  const { admin, startMs, endMs, lou, mika, models } = week;
  const create = ({ agentId }: Teammate, schedule: object) =>
    admin.field("id", 201, "POST", `/api/admin/workforce/agents/${agentId}/schedules`, {
      ...{ timezone: "UTC", misfire: "once", ...schedule },
    });
  const daily = { name: "Nightly report", cron: "0 5 * * 1-5", message: routines.nightly.user };
  const weekly = { name: "Weekly check of totals", cron: "0 6 * * 1", message: routines.weekly.user };
  const scheduleIds = [await create(lou, daily), await create(mika, weekly)] as const;
  for (const routine of Object.values(routines)) models.add(routine);
  const firstDayMs = Math.ceil(startMs / dayMs) * dayMs;
  const days = Array.from({ length: 7 }, (_, index) => firstDayMs + index * dayMs);
  const runs = (teammate: Teammate, scheduleId: string, weekdays: readonly number[], hour: number) =>
    days
      .filter((dayStart) => weekdays.includes(new Date(dayStart).getUTCDay()))
      .map((dayStart) => dayStart + hour * hourMs)
      .filter((atMs) => atMs < endMs - hourMs)
      .map((atMs, index) => ({
        atMs: atMs + 1_000,
        run: () => waitForSchedule(week, teammate, scheduleId, index + 1),
      }));
  return [...runs(lou, scheduleIds[0], [1, 2, 3, 4, 5], 5), ...runs(mika, scheduleIds[1], [1], 6)];
}

function planAlerts(week: Week): Occurrence[] {
  const alert = (day: number, host: string, problem: string, severity: string) => {
    const run = () => sendAlert(week, week.models, { host, problem, severity }, alertTask(host, problem));
    return { atMs: week.startMs + day * dayMs, run };
  };
  return [
    alert(1.45, "web-2", "disk 91 % full", "warning"),
    alert(1.6, "web-3", "certificate renewed", "info"),
    alert(4.2, "web-2", "disk 97 % full", "critical"),
  ];
}

/** A key that is soon revoked, and tests of a webhook while its receiver is down and afterwards. */
function planAdministration({ admin, webhookId, startMs }: Week): Occurrence[] {
  const trial = { name: "Trial of the mobile app", permissions: ["sessions"] };
  let keyId = "";
  const testWebhook = () => admin.json(200, "POST", `/api/admin/webhooks/${webhookId}/test`);
  const steps: ReadonlyArray<readonly [number, () => Promise<unknown>]> = [
    [1.9, async () => (keyId = await admin.field("id", 201, "POST", "/api/admin/keys", trial))],
    [2.6, testWebhook],
    [3.1, testWebhook],
    [5.3, () => admin.json(200, "DELETE", `/api/admin/keys/${keyId}`)],
  ];
  return steps.map(([day, run]) => ({ atMs: startMs + day * dayMs, run }));
}
