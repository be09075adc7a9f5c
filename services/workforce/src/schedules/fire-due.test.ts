import assert from "node:assert/strict";
import { createNotices } from "@muster/events";
import { anAuditEntry } from "@muster/events/testing";
import { type Clock, ManualClock, silentLogger } from "@muster/service";
import { defaultFileRules } from "@muster/storage/files";
import fc from "fast-check";
import { test } from "vitest";
import { anAgent, aSchedule } from "../../test/support/documents.ts";
import { MemoryStore, type Step } from "../../test/support/memory-db.ts";
import type { WorkforceContext } from "../context.ts";
import { completeOpenThreads } from "../dispatch/acceptance.ts";
import { occurrenceOf } from "../dispatch/start-request.ts";
import { keyOfAgent } from "../store/agent-document.ts";
import { createAgentStore } from "../store/agent-store.ts";
import {
  keyOfSchedule,
  type ScheduleDocument,
  type ScheduleRunDocument,
} from "../store/schedule-document.ts";
import { createScheduleRunStore } from "../store/schedule-run-store.ts";
import { createScheduleStore } from "../store/schedule-store.ts";
import type { ThreadDocument } from "../store/thread-document.ts";
import { createThreadStore } from "../store/thread-store.ts";
import { adoptRun } from "./complete-run.ts";
import { fireDue } from "./fire-due.ts";
import { judgeThread } from "./judge-thread.ts";
import { nextRun } from "./times/next-run.ts";
import { timesOf } from "./times/times-of.ts";

// The real functions and stores over a database in memory, as in dispatch/interleavings.test.ts.

class Died extends Error {}

const minuteMs = 60_000;
const nothing = { ids: [], projectIds: [] };
const agentKey = keyOfAgent(anAgent());

class World {
  readonly clock: ManualClock;
  readonly runs = new Map<string, ScheduleRunDocument>();
  readonly threads = new Map<string, ThreadDocument>();
  readonly #store = new MemoryStore((collection, _before, after) => {
    if (collection === "schedule_runs") this.#noteRun(after as unknown as ScheduleRunDocument);
    if (collection === "threads" && after !== undefined)
      this.threads.set(String(after._id), after as unknown as ThreadDocument);
  });
  #ids = 0;

  constructor(start: string) {
    this.clock = new ManualClock(Date.parse(start));
  }

  #noteRun(run: ScheduleRunDocument): void {
    const before = this.runs.get(run._id);
    if (before?.status === "fired") assert.equal(run.status, "fired", "a thread is forgotten");
    this.runs.set(run._id, run);
  }

  /** The context of an instance whose clock differs by `skewMs`. */
  context(skewMs = 0, step: Step = async (effect) => effect()): WorkforceContext {
    const db = this.#store.connect(step);
    const clock: Clock = {
      now: () => this.clock.now() + skewMs,
      monotonicMs: () => this.clock.monotonicMs(),
    };
    const newId = (prefix: string) => `${prefix}_${String(++this.#ids).padStart(6, "0")}`;
    const notices = createNotices({ newId, clock });
    const context = {
      agents: createAgentStore(db),
      threads: createThreadStore(db, undefined, notices),
      schedules: createScheduleStore(db, notices),
      scheduleRuns: createScheduleRunStore(db),
      services: {
        auth: { getProjectLimits: async () => ({ limits: {} }) },
        sessions: { checkModels: async () => ({ problems: [] }) },
      },
      callFor: () => ({}),
      callAsPlatform: () => ({}),
      wakeUps: { agentChanged: () => undefined, threadChanged: () => undefined },
      instance: newId("run"),
      log: silentLogger,
      rules: defaultFileRules,
      ...{ clock, newId },
    };
    // Only the parts that these functions use.
    return context as unknown as WorkforceContext;
  }

  async addSchedule(fields: Partial<ScheduleDocument>): Promise<ScheduleDocument> {
    const { agents, schedules } = this.context();
    await agents.insert(anAgent());
    const schedule = aSchedule(fields);
    const next = nextRun(schedule, timesOf(schedule), new Date(this.clock.now()));
    await schedules.insert({ ...schedule, ...next });
    return schedule;
  }

  /** Every time in the ledger, with its entry. Fails if a time has two. */
  ledger(schedule: ScheduleDocument): Map<number, ScheduleRunDocument> {
    const entries = new Map<number, ScheduleRunDocument>();
    const times = timesOf(schedule);
    for (const run of this.runs.values()) {
      const last = run.until ?? run.scheduledAt;
      for (let at: Date | undefined = run.scheduledAt; at && at <= last; at = times.next(at)) {
        assert.ok(!entries.has(at.getTime()), `${at.toISOString()} has two entries`);
        entries.set(at.getTime(), run);
      }
    }
    return entries;
  }
}

/** One poll of an instance. */
async function fire(context: WorkforceContext): Promise<void> {
  const { clock, schedules, scheduleRuns } = context;
  const now = () => new Date(clock.now());
  for (const due of await schedules.findDue(now(), nothing, 10))
    await fireDue(context, due, new AbortController().signal);
  for (const run of await scheduleRuns.findDue(now(), nothing, 10)) await adoptRun(context, run);
}

test("two instances with skewed clocks run each time of a year once, also on the days on which clocks change", async () => {
  const world = new World("2026-01-01T00:00:00Z");
  const schedule = await world.addSchedule({ cron: "30 2 * * *", timezone: "Europe/Berlin" });
  const key = keyOfSchedule(schedule);
  const instances = [world.context(-90_000), world.context(90_000)] as const;
  for (;;) {
    const { dueAt } = (await instances[0].schedules.find(key)) ?? {};
    assert.ok(dueAt);
    if (dueAt.getTime() >= Date.UTC(2027, 0, 1)) break;
    for (const offsetMs of [-90_000, 90_000]) {
      world.clock.advance(dueAt.getTime() + offsetMs - world.clock.now());
      await Promise.all(instances.map(fire));
    }
    const { queue = [], rev = 0 } = (await instances[0].agents.find(agentKey)) ?? {};
    await instances[0].agents.dequeue(agentKey, queue[0] ?? "", rev);
  }
  const local = new Intl.DateTimeFormat("sv", {
    timeZone: "Europe/Berlin",
    dateStyle: "short",
    timeStyle: "short",
  });
  const fired = [...world.ledger(schedule)].map(([at, { status }]) => `${local.format(at)} ${status}`);
  const days = Array.from({ length: 365 }, (_, day) => {
    const date = new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);
    return `${date} ${date === "2026-03-29" ? "03:00" : "02:30"} fired`;
  });
  assert.deepEqual(fired, days);
  assert.equal(world.threads.size, 365);
});

test("times that are slept over are skipped as one entry, or the last one runs within its window", async () => {
  for (const [fields, sleepMs, expected] of [
    [
      { misfire: "skip" },
      10 * minuteMs,
      [
        ["skipped", 9],
        ["fired", 1],
        ["fired", 1],
      ],
    ],
    [
      { misfire: "once" },
      10 * minuteMs,
      [
        ["skipped", 10],
        ["fired", 1],
      ],
    ],
    [{ misfire: "once", cron: "0 * * * *" }, 110 * minuteMs, [["fired", 1]]],
    [{ misfire: "once", cron: "0 * * * *", misfireWindowMs: 5 * minuteMs }, 110 * minuteMs, [["skipped", 1]]],
    [{ misfire: "skip", cron: "0 * * * *" }, 110 * minuteMs, [["skipped", 1]]],
    [{ misfire: "skip", cron: "0 * * * *" }, 60 * minuteMs, [["fired", 1]]],
    [{ misfire: "once", cron: undefined, at: "2026-11-22T13:00" }, 5 * 60 * minuteMs, [["fired", 1]]],
  ] as const) {
    const world = new World("2026-11-22T12:00:00Z");
    const { cron, ...rest } = { cron: "* * * * *", ...fields };
    const { cron: _, ...base } = aSchedule(rest);
    const schedule = await world.addSchedule({
      ...base,
      ...(cron === undefined ? { cron: undefined as never } : { cron }),
    });
    world.clock.advance(sleepMs + minuteMs);
    await fire(world.context());
    const entries = Map.groupBy(world.ledger(schedule).values(), ({ _id }) => _id);
    const counts = Array.from(entries.values(), (times) => [times[0]?.status, times.length]);
    assert.deepEqual(counts, expected, JSON.stringify(fields));
  }
});

/** A run that was stored by an instance which died before it started a thread, or right after that. */
async function leftRun(fields: Partial<ScheduleDocument>, isBefore: boolean) {
  const world = new World("2026-11-22T12:00:00Z");
  const schedule = await world.addSchedule({ cron: "0 13 * * *", ...fields });
  world.clock.advance(60 * minuteMs);
  const isDone = () => (isBefore ? world.runs.size > 0 : world.threads.size > 0);
  const step: Step = async (effect) => {
    if (isDone()) throw new Died();
    return effect();
  };
  await assert.rejects(fire(world.context(0, step)), Died);
  const [run] = world.runs.values();
  assert.equal(run?.status, "pending");
  return { world, schedule };
}

test("a run that no instance could start for long is missed, unless its schedule still runs late times", async () => {
  for (const [misfire, lateMs, status] of [
    ["skip", minuteMs, "fired"],
    ["skip", 11 * minuteMs, "skipped"],
    ["once", 11 * minuteMs, "fired"],
  ] as const) {
    const { world } = await leftRun({ misfire }, true);
    world.clock.advance(lateMs);
    await fire(world.context());
    const [run] = world.runs.values();
    assert.deepEqual([run?.status, run?.reason], [status, status === "skipped" ? "missed" : undefined]);
  }
});

test("a run whose thread had ended before it was settled is not taken again", async () => {
  const { world } = await leftRun({}, false);
  const context = world.context();
  await completeOpenThreads(context, new Date(context.clock.now() + minuteMs));
  const [thread] = world.threads.values();
  assert.ok(thread);
  const notice = {
    id: "evt_1",
    type: "thread.completed",
    at: new Date(context.clock.now()),
    data: {},
  } as const;
  await judgeThread(context, thread, notice);
  world.clock.advance(minuteMs);
  await fire(context);
  const [run] = world.runs.values();
  assert.deepEqual([run?.status, run?.outcome, run?.dueAt], ["fired", "succeeded", undefined]);
});

type Action =
  | { type: "fire"; skewMs: number }
  | { type: "pause"; paused: boolean }
  | { type: "pass"; ms: number };

interface Process {
  action: Action;
  /** Its command at which it dies, before or after the effect. */
  death: { command: number; isBefore: boolean } | undefined;
}

/** Every command is a turn of the scheduler. Once dead, a process does nothing more. */
function stepOf(turn: () => Promise<unknown>, death: Process["death"]): Step {
  let command = -1;
  let isDead = false;
  return async (effect) => {
    command += 1;
    const dies = command === death?.command;
    await turn();
    if (isDead || (dies && death.isBefore)) {
      isDead = true;
      throw new Died();
    }
    const value = effect();
    isDead = dies;
    if (isDead) throw new Died();
    return value;
  };
}

async function act(world: World, { action, death }: Process, turn: () => Promise<unknown>): Promise<void> {
  const step = stepOf(turn, death);
  switch (action.type) {
    case "fire":
      return fire(world.context(action.skewMs, step));
    case "pause":
      return void (await world
        .context(0, step)
        .agents.update(agentKey, { paused: action.paused }, anAuditEntry()));
    case "pass":
      return step(() => world.clock.advance(action.ms));
  }
}

async function check(
  sent: readonly Process[],
  misfire: ScheduleDocument["misfire"],
  overlap: ScheduleDocument["overlap"],
  scheduler: fc.Scheduler,
): Promise<void> {
  let isQuiet = true;
  const turn = () => (isQuiet ? Promise.resolve() : scheduler.schedule(Promise.resolve()));
  const world = new World("2026-11-22T12:00:30Z");
  const schedule = await world.addSchedule({ misfire, overlap });
  world.clock.advance(40_000);
  isQuiet = false;
  const ends = sent.map((process) =>
    act(world, process, turn).catch((error: unknown) => {
      if (!(error instanceof Died)) throw error;
    }),
  );
  await scheduler.waitFor(Promise.all(ends));

  // The other instances, once all of these are dead.
  isQuiet = true;
  const context = world.context(200_000);
  await context.agents.update(agentKey, { paused: false }, anAuditEntry());
  for (let tries = 0; tries < 4; tries++) {
    world.clock.advance(20_000);
    await completeOpenThreads(context, new Date(context.clock.now()));
    await fire(context);
  }
  const at = new Date(world.clock.now());
  const notice = { id: "evt_1", type: "thread.completed", at, data: {} } as const;
  for (const thread of world.threads.values())
    if (thread.accepted) await judgeThread(context, thread, notice);

  const ledger = world.ledger(schedule);
  const last = Math.max(...ledger.keys());
  const times = Date.parse("2026-11-22T12:01:00Z");
  for (let time = times; time <= last; time += minuteMs)
    assert.ok(ledger.has(time), `${new Date(time).toISOString()} is lost`);
  assert.equal(ledger.size, (last - times) / minuteMs + 1);
  assert.ok(last >= world.clock.now() + 200_000 - 3 * minuteMs, "the last times are lost");
  const started = [...world.threads.values()].filter(({ accepted }) => accepted);
  const byOccurrence = Map.groupBy(started, occurrenceOf);
  for (const run of world.runs.values()) {
    const threads = byOccurrence.get(run.occurrence) ?? [];
    assert.equal(threads.length, run.status === "fired" ? 1 : 0, `${run.occurrence} is ${run.status}`);
    if (run.status !== "fired") assert.ok(run.reason && run.problem, `${run.occurrence} is ${run.status}`);
    assert.equal(run.dueAt, undefined, "a run is left");
  }
}

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("fire" as const),
      skewMs: fc.constantFrom(0, -50_000, 130_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("pause" as const), paused: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("pass" as const), ms: fc.constantFrom(5_000, 35_000, 200_000) }),
  },
);
const death = fc.option(fc.record({ command: fc.nat(25), isBefore: fc.boolean() }), { nil: undefined });
const processes = fc.array(fc.record({ action, death }), { minLength: 2, maxLength: 8 });

test("whichever instances die at whichever command, each time has one entry, and one thread exactly if it has fired", async () => {
  const rules = [fc.constantFrom("skip", "once"), fc.constantFrom("skip", "queue")] as const;
  const property = fc.asyncProperty(processes, ...rules, fc.scheduler(), check);
  await fc.assert(property, { numRuns: 150 * Number(process.env.LONG_RUN ?? 1) });
});
