import assert from "node:assert/strict";
import { ManualClock, silentLogger } from "@muster/service";
import { describe, test } from "vitest";
import { createExpirySweep } from "./expiry-sweep.ts";
import type { Sweepable } from "./store/session-sweeps.ts";

const expired = { status: "expired" as const, head: [], sweepAt: new Date(0) };

/** Sessions in memory that are to be stripped, then swept. Those with the numbers below `broken` fail. */
function startWith(count: number, broken: number) {
  const ids = Array.from({ length: count }, (_, i) => `ses_${i}`);
  const [timedOut, sweepable] = [new Set(ids), new Set(ids)];
  const first = (from: Set<string>, limit: number, except: readonly string[]) =>
    [...from].filter((id) => !except.includes(id)).slice(0, limit);
  const remove = (from: Set<string>, id: string) => {
    if (Number(id.slice(4)) < broken) throw new Error("the document is invalid");
    return from.delete(id);
  };
  const store = {
    findTimedOut: async (_now: Date, limit: number, except: readonly string[]) =>
      first(timedOut, limit, except).map((sessionId) => ({ sessionId, projectId: "p" })),
    findPartlyStripped: async () => [],
    strip: async ({ sessionId }: { sessionId: string }) => remove(timedOut, sessionId),
    findSweepable: async (_now: Date, limit: number, except: readonly string[]): Promise<Sweepable[]> =>
      first(sweepable, limit, except).map((_id) => ({ ...expired, _id, projectId: "p" })),
    endSweep: async ({ _id }: Sweepable) => void remove(sweepable, _id),
  };
  const chunks = { deleteUnnamed: async () => true };
  const logs = { store: { delete: async () => undefined } };
  const clock = new ManualClock();
  const sweep = createExpirySweep({
    store,
    chunks,
    logs,
    fileDelivery: { sources: { files: undefined } },
    clock,
    log: silentLogger,
    timings: { sweepEveryMs: 1000 },
  });
  return { sweep, timedOut, sweepable };
}

describe("the sweep of expired sessions", () => {
  test("sessions that cannot be swept do not keep others from being swept", async () => {
    const { sweep, timedOut, sweepable } = startWith(450, 150);
    await sweep.run();
    assert.equal(timedOut.size, 150);
    assert.equal(sweepable.size, 150);
  });

  test("a sweep in which everything fails ends", async () => {
    const { sweep, timedOut } = startWith(3000, 3000);
    await sweep.run();
    assert.equal(timedOut.size, 3000);
  });
});
