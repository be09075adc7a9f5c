import assert from "node:assert/strict";
import { FairQueue, silentLogger } from "@muster/service";
import { StoreUnreachableError } from "@muster/store";
import { test } from "vitest";
import { computerThat } from "../../../test/support/computer-that.ts";
import { anAgent } from "../../../test/support/documents.ts";
import { defaultTimings } from "../../config.ts";
import { ActiveRun } from "../slot/active-run.ts";
import { inTurn } from "./in-turn.ts";

test("a run that waits for its turn moves with the shared computer, also after an outage of the store", async () => {
  const computerTurns = new FairQueue({ running: 2, runningPerOwner: 1 });
  const line = JSON.stringify({ projectId: "prj_test", computerId: "cmp_1" });
  const other = Promise.withResolvers<void>();
  const before = computerTurns.run(line, () => other.promise);
  let reads = 0;
  const { computer } = computerThat(() => assert.fail("not expected"));
  const context = {
    computers: {
      open: async () => computer,
      machines: {
        async isElsewhere() {
          if (++reads === 1) throw new StoreUnreachableError("a test", "no answer");
          return true;
        },
      },
    },
    ...{ computerTurns, log: silentLogger, timings: { ...defaultTimings, pollEveryMs: 1 } },
  };
  const current = { threadId: "thr_1", runId: "run_1" };
  const shared = { kind: "dedicated", os: "linux", id: "cmp_1" } as const;
  const run = new ActiveRun(anAgent({ computer: shared, current }), false);
  await assert.rejects(inTurn({ context, run }, { request: null }, () => assert.fail("not expected")));
  assert.deepEqual([run.cause, reads > 1], ["draining", true]);
  other.resolve();
  await before;
});
