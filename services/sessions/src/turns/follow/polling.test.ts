import assert from "node:assert/strict";
import { ManualClock, systemClock } from "@muster/service";
import { test } from "vitest";
import { defaultTimings } from "../../config.ts";
import type { SessionDocument } from "../../store/session-document.ts";
import type { PendingEvents, TurnEvents } from "../../store/turn-events.ts";
import { findTurn, lastPolls } from "./find-turn.ts";
import { followEvents } from "./follow-events.ts";

const clock = new ManualClock();
const now = new Date(clock.now());
const executionId = "exe_1";
const run = { projectId: "prj_1", sessionId: "ses_1", executionId, run: 1 };

const session: SessionDocument = {
  _id: run.sessionId,
  projectId: run.projectId,
  agentId: "agt_1",
  agentVersion: 1,
  status: "active",
  input: "{}",
  head: [],
  tail: "[]",
  memory: "{}",
  createdAt: now,
  updatedAt: now,
  expiresAt: null,
  epoch: 1,
  lease: null,
  execution: null,
};

const document: TurnEvents = {
  _id: `${executionId}:0000000001:0000000001`,
  projectId: run.projectId,
  sessionId: run.sessionId,
  first: 1,
  count: 2,
  events: "start {}\nstep {}\n",
  isLast: false,
  keptUntil: new Date(now.getTime() + 1_000),
};

const shared = {
  clock,
  timings: { ...defaultTimings, pollEventsEveryMs: 1 },
  onlyHolder: undefined,
  instance: "own",
  executions: { find: () => undefined },
};

function search(isMentioned: boolean) {
  const counted = { reads: 0, scans: 0, polls: 0 };
  const sources = {
    ...shared,
    eventLogs: { find: () => undefined },
    eventStore: { last: async () => null },
    store: {
      find: async () => {
        counted.reads++;
        return session;
      },
      findTurn: async () => {
        counted.polls++;
        return session;
      },
    },
    histories: {
      mentions: async () => {
        counted.scans++;
        return isMentioned;
      },
    },
  };
  const found = findTurn(sources, run, { executionId, after: 0 }, new AbortController().signal);
  return { counted, found };
}

test("an execution whose events are missing is searched for in the conversation once, however often the store is polled", async () => {
  const { counted, found } = search(true);
  await assert.rejects(found, /no longer kept/);
  assert.deepEqual(counted, { reads: 1, scans: 1, polls: lastPolls + 1 });
});

test("an unknown execution is refused after one search", async () => {
  const { counted, found } = search(false);
  await assert.rejects(found, /no such execution/);
  assert.deepEqual(counted, { reads: 1, scans: 1, polls: 1 });
});

test("a reader that waits for another instance reads stored events once, and those of the session when they follow", async () => {
  const lease = { runId: "run_1", executionId, holder: "other", until: new Date(now.getTime() + 1_000) };
  const running: SessionDocument = { ...session, lease: { ...lease, cancelRequested: false, run: 1 } };
  const pending: PendingEvents = {
    ...{ executionId, run: 1, first: 3, count: 1, events: "finish {}\n", isLast: true },
    keptUntil: document.keptUntil,
  };
  const counted = { events: 0, places: 0, pending: 0 };
  const sources = {
    ...shared,
    draining: new AbortController().signal,
    eventStore: {
      around: async () => {
        counted.events++;
        return document;
      },
      placeAround: async () => {
        counted.places++;
        return document;
      },
    },
    store: {
      findTurn: async () => (counted.places < 5 ? running : { ...running, pendingEvents: pending }),
      findPendingEvents: async () => {
        counted.pending++;
        return [pending];
      },
    },
  };
  const types: string[] = [];
  for await (const events of followEvents(
    sources,
    { run },
    { executionId, after: 0 },
    new AbortController().signal,
  )) {
    types.push(...events.map(({ type }) => type));
  }
  assert.deepEqual(types, ["start", "step", "finish"]);
  // The first one yields the events, the second one finds that none follow.
  assert.deepEqual(counted, { events: 2, places: 5, pending: 1 });
});

test("a reader that waits for the lease of a dead process leaves the store alone, and continues the turn when it has expired", async () => {
  const timings = { ...defaultTimings, leaseMs: 800, renewEveryMs: 40, pollEventsEveryMs: 4 };
  const until = new Date(systemClock.now() + timings.leaseMs);
  const lease = { runId: "run_1", executionId, holder: "other", until, cancelRequested: false, run: 1 };
  const options = { detached: true, reportsUsage: false };
  const execution = { id: executionId, state: "running" } as const;
  let reads = 0;
  const events = followEvents(
    {
      ...{ ...shared, timings, clock: systemClock, draining: new AbortController().signal },
      eventStore: { around: async () => document, placeAround: async () => document },
      store: {
        findTurn: async () => {
          reads++;
          return { ...session, lease: { ...lease, options }, execution };
        },
        findPendingEvents: () => assert.fail("no events are pending"),
      },
    },
    { run },
    { executionId, after: 2 },
    new AbortController().signal,
  );
  assert.deepEqual(await events.next(), { done: true, value: "moved" });
  assert.ok(systemClock.now() >= until.getTime());
  assert.ok(reads < timings.leaseMs / timings.pollEventsEveryMs / 3, `${reads} reads`);
});
