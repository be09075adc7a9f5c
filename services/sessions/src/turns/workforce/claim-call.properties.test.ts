import assert from "node:assert/strict";
import { createInProcessBus } from "@muster/events";
import { Reason, readRpcError } from "@muster/rpc";
import { ManualClock, silentLogger } from "@muster/service";
import { openTestStore } from "@muster/store/testing";
import fc from "fast-check";
import { test } from "vitest";
import { defaultTimings } from "../../config.ts";
import { createHiddenStore } from "../../store/hidden-store.ts";
import type { RunCall, SessionDocument } from "../../store/session-document.ts";
import type { Acquired } from "../begin/acquire.ts";
import { claimCall } from "./claim-call.ts";

/** `npm run test:long` runs ten times as many cases. */
const numRuns = 50 * Number(process.env.LONG_RUN ?? 1);
const projectId = "prj_1";

/** A call of a driver, and the end of the execution that it may begin. */
interface Call {
  requestId: string;
  driverEpoch: number;
  /** `undone`: it is refused once the session is locked. `dies`: its process does, and its lease runs out. */
  ending: "ends" | "undone" | "dies";
  /** It lasts for so many reads of its lease, unless it is asked to stop. */
  looks: number;
}

const call: fc.Arbitrary<Call> = fc.record({
  requestId: fc.constantFrom("a", "b", "__proto__"),
  driverEpoch: fc.integer({ min: 1, max: 3 }),
  ending: fc.constantFrom("ends", "ends", "undone", "dies"),
  looks: fc.integer({ min: 0, max: 3 }),
});

interface Begun extends Call, RunCall {
  isOver: boolean;
}

test("whatever drivers call at once: one execution at a time, none twice in a row for one call, none for an earlier driver", async (t) => {
  const { db } = await openTestStore(t);
  const bus = createInProcessBus({ log: silentLogger });
  t.onTestFinished(() => bus.close());
  let count = 0;

  async function play(scheduler: fc.Scheduler, calls: Call[]): Promise<void> {
    const sessionId = `ses_${++count}`;
    const key = { projectId, sessionId };
    const clock = new ManualClock();
    const hidden = createHiddenStore(db);
    const documents = db.collection<SessionDocument>("workforce_sessions");
    await hidden.insert(newSession(sessionId, clock));
    const take = scheduler.scheduleFunction(async () => undefined);
    /** Every command takes effect when the scheduler says so. */
    const store: Parameters<typeof claimCall>[0]["store"] = {
      findTurn: (...args) => take().then(() => hidden.findTurn(...args)),
      lockFor: (...args) => take().then(() => hidden.lockFor(...args)),
      endEarlier: (...args) => take().then(() => hidden.endEarlier(...args)),
      noteDriver: (...args) => take().then(() => hidden.noteDriver(...args)),
    };
    let ids = 0;
    const sources = {
      ...{ clock, bus, log: silentLogger, store, instance: "own", onlyHolder: undefined },
      newId: (prefix: string) => `${prefix}_${count}_${++ids}`,
      timings: { ...defaultTimings, busyWaitMs: 3_600_000 },
      executions: { find: () => undefined, runsOf: () => [], waitForRelease: () => take() },
      draining: new AbortController().signal,
    };
    /** In the order in which they were locked: that of their epochs. */
    const begun: Begun[] = [];
    let latestDriver = 0;

    const execute = async (own: Begun, { held, before }: Acquired): Promise<void> => {
      for (let look = 0; look < own.looks; look++) {
        await take();
        if ((await documents.findOne({ _id: sessionId }))?.lease?.cancelRequested) break;
      }
      await take();
      if (own.ending === "dies") {
        await documents.updateOne(
          { _id: sessionId, "lease.runId": held.runId },
          { $set: { "lease.until": new Date(0) } },
        );
      } else if (own.ending === "undone") assert.ok(await hidden.undoLock(held, before));
      else assert.ok(await hidden.release(held, null));
      own.isOver = true;
    };

    const drive = async (own: Call): Promise<void> => {
      const command = {
        type: "start",
        detached: true,
        reportsUsage: false,
        bytes: 0,
        stored: { triggerName: "t", input: "" },
      } as const;
      const signal = new AbortController().signal;
      const seenBefore = latestDriver;
      try {
        const claimed = await claimCall(
          sources,
          key,
          command,
          { ...own, limits: [], keyId: undefined },
          { signal, requestId: "req_1" },
        );
        assert.ok(own.driverEpoch >= seenBefore, "an earlier driver was served");
        latestDriver = Math.max(latestDriver, own.driverEpoch);
        if ("call" in claimed) {
          assert.equal(claimed.call.requestId, own.requestId);
          const same = begun.find(({ executionId }) => executionId === claimed.call.executionId);
          // The claim of the one that has begun it may return later.
          if (same !== undefined) assert.equal(same.run, claimed.call.run);
          return;
        }
        const { acquired, executionId } = claimed;
        const previous = begun.at(-1);
        const run = acquired.held.epoch;
        assert.ok(
          begun.every(({ isOver }) => isOver),
          "two executions at once",
        );
        const { workforce } = acquired.before;
        assert.ok(workforce !== undefined && workforce.driverEpoch <= own.driverEpoch);
        assert.notEqual(workforce.call?.requestId, own.requestId, "a call was begun twice");
        if (previous?.ending === "undone") assert.notEqual(workforce.call?.executionId, previous.executionId);
        else assert.equal(workforce.call?.executionId, previous?.executionId);
        const one = { ...own, executionId, run, isOver: false };
        begun.push(one);
        await execute(one, acquired);
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        const { reason, message } = readRpcError(error);
        assert.equal(reason, Reason.STALE_DRIVER, message);
        const stored = (await documents.findOne({ _id: sessionId }))?.workforce?.driverEpoch ?? 0;
        assert.ok(stored > own.driverEpoch, "a driver was refused without a later one");
      }
    };

    await scheduler.waitFor(Promise.all(calls.map(drive)));
    const runs = begun.filter(({ ending }) => ending !== "undone").map(({ run }) => run);
    assert.deepEqual(
      runs,
      [...new Set(runs)].toSorted((one, other) => one - other),
    );
  }

  const several = fc.array(call, { minLength: 3, maxLength: 6 });
  await fc.assert(fc.asyncProperty(fc.scheduler(), several, play), { numRuns });
});

function newSession(sessionId: string, clock: ManualClock): SessionDocument {
  const now = new Date(clock.now());
  return {
    ...{ _id: sessionId, projectId, agentId: "agt_1", agentVersion: 1, status: "active", input: "{}" },
    ...{ head: [], tail: "[]", memory: "{}", createdAt: now, updatedAt: now, expiresAt: null, epoch: 0 },
    ...{ lease: null, execution: null },
    workforce: { agentId: "agt_lou", driverEpoch: 0, call: null },
  };
}
