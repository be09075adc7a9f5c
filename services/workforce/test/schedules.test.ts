import assert from "node:assert/strict";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ScheduleSettingsSchema } from "@muster/proto/schedules";
import { Reason } from "@muster/rpc";
import { Secret } from "@muster/service";
import { until } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { refusal, startWithAgent } from "./support/harness.ts";
import { claimNext } from "./support/run.ts";

const minuteMs = 60_000;

/** Sunday noon in UTC. */
async function startWorld(t: TestContext) {
  const config = { secretsKeys: [new Secret("ab".repeat(32))] };
  const started = await startWithAgent(t, {}, config);
  const { world, schedules, agentId } = started;
  // Principals are valid for a minute.
  const admin = () => world.as({ permissions: new Set(["workforce", "admin"]) });
  const create = async (settings: MessageInitShape<typeof ScheduleSettingsSchema> = {}, slug?: string) => {
    const defaults = { name: "Night", cron: "* * * * *", timezone: "UTC", message: "Look" };
    const request = { agentId, settings: { ...defaults, ...settings }, ...(slug && { slug }) };
    const { schedule } = await schedules.createSchedule(request, admin());
    assert.ok(schedule);
    return schedule;
  };
  const get = async (scheduleId: string) => {
    const { schedule } = await schedules.getSchedule({ agentId, scheduleId }, admin());
    assert.ok(schedule);
    return schedule;
  };
  /** Oldest first. */
  const runs = async (scheduleId: string) =>
    (await schedules.listScheduleRuns({ agentId, scheduleId }, admin())).runs.toReversed();
  /** Waits for the settled run of the next minute. */
  const nextRun = async (scheduleId: string) => {
    const count = (await runs(scheduleId)).length;
    world.clock.advance(minuteMs);
    await until("the time has its run", async () => {
      const run = (await runs(scheduleId))[count];
      return run !== undefined && run.status !== "pending";
    });
    const run = (await runs(scheduleId)).at(-1);
    assert.ok(run);
    return run;
  };
  return { ...started, admin, create, get, runs, nextRun };
}

test("a schedule is created, read, changed by those who know its revision, run by hand, and deleted with its ledger", async (t) => {
  const { world, schedules, agentId, key, admin, create, get, runs } = await startWorld(t);
  const { id: scheduleId, ...created } = await create({ cron: "0 9 * * 1-5", timezone: "Europe/Berlin" });
  const next = created.nextRuns.map(({ seconds }) => new Date(Number(seconds) * 1_000).toISOString());
  assert.deepEqual(
    next,
    ["23", "24", "25", "26", "27"].map((day) => `2026-11-${day}T08:00:00.000Z`),
  );
  assert.deepEqual([created.slug, created.revision, created.lastRun], ["night", 1, undefined]);
  assert.equal((await create()).slug.slice(0, 6), "night-");
  assert.equal((await refusal(create({}, "night"))).reason, Reason.SLUG_TAKEN);

  const change = (
    settings: MessageInitShape<typeof ScheduleSettingsSchema>,
    expectedRevisions: number[] = [],
  ) => schedules.updateSchedule({ agentId, scheduleId, settings, expectedRevisions }, admin());
  assert.equal((await refusal(change({ message: "No" }, [2]))).reason, Reason.VERSION_MISMATCH);
  const { schedule } = await change({ at: "2026-12-01T09:00" }, [1, 7]);
  assert.deepEqual(
    [schedule?.revision, schedule?.settings?.cron, schedule?.settings?.at, schedule?.nextRuns.length],
    [2, undefined, "2026-12-01T09:00", 1],
  );
  await change({ enabled: false });
  assert.deepEqual((await get(scheduleId)).nextRuns, []);

  const { run } = await schedules.runSchedule({ agentId, scheduleId }, admin());
  const thread = await world.threads.find({ ...key, threadId: run?.threadId ?? "" });
  assert.deepEqual(
    [run?.status, run?.manual, thread?.inbox[0]?.text, thread?.origin],
    ["fired", true, "Look", { kind: "schedule", id: scheduleId }],
  );
  assert.equal((await get(scheduleId)).lastRun?.id, run?.id);
  assert.equal((await runs(scheduleId)).length, 1);
  const gone = () => schedules.deleteSchedule({ agentId, scheduleId, expectedRevisions: [3] }, admin());
  await gone();
  assert.equal((await refusal(gone())).reason, Reason.NOT_FOUND);
  assert.equal(await world.collection("schedule_runs").countDocuments({ scheduleId }), 0);
});

test("schedules are closed to the key of an agent, and do not exist for other projects", async (t) => {
  const { world, schedules, agentId, create } = await startWorld(t);
  const { id: scheduleId } = await create();
  const one = { agentId, scheduleId };
  const calls = (as: ReturnType<typeof world.as>) => [
    schedules.createSchedule({ agentId }, as),
    schedules.listSchedules({ agentId }, as),
    schedules.getSchedule(one, as),
    schedules.updateSchedule({ ...one, settings: { enabled: false } }, as),
    schedules.runSchedule(one, as),
    schedules.listScheduleRuns(one, as),
    schedules.deleteSchedule(one, as),
  ];
  for (const [as, reason] of [
    [world.asAgent(agentId), Reason.FORBIDDEN],
    [world.as({ permissions: new Set(["sessions"]) }), Reason.FORBIDDEN],
    [world.as({ projectId: "prj_other" }), Reason.NOT_FOUND],
  ] as const) {
    const refusals = await Promise.all(calls(as).map((call) => refusal(call)));
    assert.deepEqual(
      refusals.map((refused) => refused.reason),
      refusals.map(() => reason),
    );
  }
});

test("every bad field of a schedule is refused by name", async (t) => {
  const { world, schedules, agentId, admin, create } = await startWorld(t);
  world.fake.broken.set("demo/broken", "demo/broken has no key.");
  for (const [settings, path] of [
    [{ cron: "0 0 31 2 *" }, "cron"],
    [{ cron: undefined }, "cron"],
    [{ at: "2026-12-01T09:00" }, "cron"],
    [{ cron: undefined, at: "2026-11-22T12:00" }, "at"],
    [{ cron: undefined, at: "soon" }, "at"],
    [{ timezone: "+01:00" }, "timezone"],
    [{ name: "" }, "name"],
    [{ message: " " }, "message"],
    [{ overlap: "kill" }, "overlap"],
    [{ misfire: "all" }, "misfire"],
    [{ misfireWindowMs: 60_000n }, "misfireWindowMs"],
    [{ misfire: "once", misfireWindowMs: 1n }, "misfireWindowMs"],
    [{ jitterMs: 60_001 }, "jitterMs"],
    [{ config: { thinking: "hard" } }, "config.thinking"],
    [{ config: { model: "demo/broken" } }, "config.model"],
    [{ config: { capabilities: { flight: true } } }, "config.capabilities.flight"],
  ] as const) {
    const defaults = { name: "Night", cron: "* * * * *", timezone: "UTC", message: "Look" };
    // A field that is not set is absent from the message.
    const all = Object.entries({ ...defaults, ...settings }).filter(([, value]) => value !== undefined);
    const request = { agentId, settings: Object.fromEntries(all) };
    const { issues } = await refusal(schedules.createSchedule(request, admin()));
    assert.deepEqual(
      issues.map((issue) => issue.path),
      [path],
      JSON.stringify(all, (_, value) => String(value)),
    );
  }
  assert.equal((await refusal(create({}, "Not a slug"))).issues[0]?.path, "slug");
  assert.equal(await world.collection("schedules").countDocuments(), 0);
});

test("a time starts an ordinary thread; while that has not ended, or the agent is paused, later times are skipped with the reason", async (t) => {
  const { world, client, agentId, admin, create, nextRun } = await startWorld(t);
  const { id } = await create();
  const first = await nextRun(id);
  assert.deepEqual([first.status, first.manual], ["fired", false]);
  assert.equal(first.scheduledAt?.seconds, BigInt(Date.parse("2026-11-22T12:01:00Z") / 1_000));
  assert.deepEqual((await nextRun(id)).reason, "overlap");
  const run = await claimNext(world, agentId);
  await run.begin();
  await run.complete();
  await run.free();
  assert.equal((await nextRun(id)).status, "fired");
  await client.cancelThread(
    { agentId, threadId: (await claimNext(world, agentId, "run_2")).threadId },
    admin(),
  );
  await client.updateAgent({ agentId, paused: true }, admin());
  assert.equal((await nextRun(id)).reason, "agent_paused");
});

test("five failures in a row pause a schedule once, reach webhooks, and do not count after it is resumed", async (t) => {
  const { world, schedules, webhooks, agentId, admin, create, get, nextRun, runs } = await startWorld(t);
  const events = ["schedule.paused"];
  const { webhook } = await webhooks.createWebhook(
    { url: "https://example.com", events, enabled: true },
    admin(),
  );
  const deliveries = async () =>
    (await webhooks.listDeliveries({ webhookId: webhook?.id ?? "" }, admin())).deliveries;
  const { id: scheduleId } = await create({ overlap: "queue" });
  // Two threads fail, one succeeds, one fails, and four dispatches are refused.
  for (const [index, outcome] of (["failed", "failed", "succeeded", "failed"] as const).entries()) {
    await nextRun(scheduleId);
    const run = await claimNext(world, agentId, `run_${index}`);
    await run.begin();
    await (outcome === "failed"
      ? run.fail({ type: "timeout", reason: "It took too long." })
      : run.complete());
    await run.free();
    await until("the outcome is noted", async () => (await runs(scheduleId)).at(-1)?.outcome === outcome);
  }
  world.fake.broken.set("demo/echo", "demo/echo has no key.");
  for (let index = 0; index < 4; index++) {
    assert.equal((await get(scheduleId)).pausedReason, undefined);
    const { reason, outcome } = await nextRun(scheduleId);
    assert.deepEqual([reason, outcome], ["refused", "failed"]);
  }
  await until("it is paused", async () => (await get(scheduleId)).pausedReason !== undefined);
  const paused = await get(scheduleId);
  assert.match(paused.pausedReason ?? "", /^Its last 5 runs have failed\. .*demo\/echo has no key\.$/);
  assert.deepEqual([paused.nextRuns, paused.revision], [[], 1]);
  await until("the event is stored for the webhook", async () => (await deliveries()).length === 1);
  const [{ payload = "" } = {}] = await deliveries();
  const { pausedReason } = paused;
  assert.deepEqual(JSON.parse(payload).data, {
    projectId: paused.projectId,
    agentId,
    scheduleId,
    pausedReason,
  });

  const resume = { agentId, scheduleId, settings: { enabled: true } };
  assert.equal((await schedules.updateSchedule(resume, admin())).schedule?.nextRuns.length, 5);
  assert.equal((await nextRun(scheduleId)).outcome, "failed");
  assert.equal((await get(scheduleId)).pausedReason, undefined);
});

test("services that do not respond delay a run, and deleting the agent deletes its schedules", async (t) => {
  const { world, client, agentId, admin, create, runs } = await startWorld(t);
  const { id } = await create({ cron: "1 12 * * *" });
  world.fake.down.add("sessions");
  world.clock.advance(minuteMs);
  await until("it was tried", async () => world.fake.calls.includes("checkModels"));
  await until(
    "it waits",
    async () => (await world.collection("schedule_runs").findOne({ lease: null })) !== null,
  );
  assert.equal((await runs(id))[0]?.status, "pending");
  world.fake.down.clear();
  world.clock.advance(2_000);
  await until("it is started", async () => (await runs(id))[0]?.status === "fired");
  assert.equal((await runs(id)).length, 1);
  await client.deleteAgent({ agentId }, admin());
  await until(
    "the schedule and its ledger are gone",
    async () =>
      (await world.collection("schedules").countDocuments()) === 0 &&
      (await world.collection("schedule_runs").countDocuments()) === 0,
  );
});
