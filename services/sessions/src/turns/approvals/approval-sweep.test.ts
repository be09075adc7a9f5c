import assert from "node:assert/strict";
import { ManualClock, silentLogger } from "@muster/service";
import { ensureIndexes } from "@muster/store";
import { openTestStore } from "@muster/store/testing";
import { test } from "vitest";
import { defaultTimings } from "../../config.ts";
import { type ApprovalDocument, approvalIndexes, createApprovalStore } from "../../store/approval-store.ts";
import { createApprovalSweep } from "./approval-sweep.ts";

function approvalOf(projectId: string, number: number): ApprovalDocument {
  const at = new Date(number);
  return {
    ...{ _id: `apr_${projectId}_${number}`, projectId, agentId: "agt_1", agentVersion: 1 },
    ...{ sessionId: "ses_1", executionId: "exe_1", toolCallId: "call_1", toolName: "refund" },
    ...{ args: "{}", argumentsHash: "", status: "pending", createdAt: at, expiresAt: at },
    ...{ wakeAt: at, keptUntil: new Date("2099-01-01T00:00:00Z") },
  };
}

test("the approvals of a project wait for no more than 20 of another one, and all are settled once", async (t) => {
  const { db } = await openTestStore(t);
  await ensureIndexes(db, [approvalIndexes]);
  const approvals = createApprovalStore(db);
  const many = Array.from({ length: 150 }, (_, number) => approvalOf("prj_many", number));
  const few = [approvalOf("prj_few", 1_000), approvalOf("prj_few", 1_001)];
  await approvals.insert([...many, ...few]);
  const settled: string[] = [];
  const clock = new ManualClock();
  clock.advance(10_000);
  const draining = new AbortController().signal;
  const context = { approvals, clock, log: silentLogger, timings: defaultTimings, draining };
  await createApprovalSweep(context, async ({ _id }) => void settled.push(_id)).run();
  assert.deepEqual(settled.slice(20, 22), ["apr_prj_few_1000", "apr_prj_few_1001"]);
  assert.equal(new Set(settled).size, 152);
  assert.equal(settled.length, 152);
});
