import assert from "node:assert/strict";
import type { LogEntry } from "@muster/client";
import { test } from "vitest";
import { readSteps } from "./read-steps.ts";
import { firstFailure, flatten } from "./step.ts";
import { timeAxis } from "./time-axis.ts";

/** A union keeps its members. */
type Noted<Entry> = Entry extends LogEntry
  ? Omit<Entry, "id" | "sequence" | "timestamp" | "executionId">
  : never;

const beganMs = Date.parse("2026-11-27T10:00:00.000Z");

function log(
  ...notes: readonly (readonly [atMs: number, note: Noted<LogEntry>, executionId?: string])[]
): LogEntry[] {
  return notes.map(([atMs, note, executionId = "exe_1"], sequence) => ({
    ...note,
    ...{ id: `log_${sequence}`, sequence, executionId },
    timestamp: new Date(beganMs + atMs).toISOString(),
  }));
}

const trigger = {
  type: "trigger",
  triggerName: "user-message",
  input: { TEXT: "Hi" },
  isContinuation: false,
} as const;
const again = { type: "trigger", triggerName: "user-message", isContinuation: true } as const;
const stats = (step: number, latencyMs: number, finishReason: "stop" | "failed" | "tool-calls" = "stop") =>
  ({
    type: "step-stats",
    model: "local/m",
    step,
    isBackup: false,
    finishReason,
    latencyMs,
    firstPartMs: 100,
    priceVersion: "1",
  }) as const;
const call = { type: "tool-call", toolCallId: "call_1", toolName: "look", args: {}, source: "llm" } as const;
const result = {
  type: "tool-result",
  toolCallId: "call_1",
  toolName: "look",
  status: "done",
  result: 1,
} as const;

const rows = (entries: LogEntry[], runningId?: string) =>
  flatten(readSteps(entries, runningId)).map(({ kind, title, depth, state, startMs, endMs }) => [
    ...[kind, title, depth, state, startMs - beganMs, endMs === undefined ? null : endMs - beganMs],
  ]);

test("a turn has its model calls and tools in the order in which they began, with their times", () => {
  const entries = log(
    [0, trigger],
    [900, { type: "llm-response", model: "local/m", step: 1, text: "Let me look.", outcome: "done" }],
    [900, stats(1, 800, "tool-calls")],
    [900, { ...call, executor: "platform" }],
    [1_200, result],
    [2_000, stats(2, 700)],
  );
  assert.deepEqual(rows(entries), [
    ["turn", "user-message", 0, "completed", 0, 2_000],
    ["model", "local/m", 1, "completed", 100, 900],
    ["tool", "look", 1, "completed", 900, 1_200],
    ["model", "local/m", 1, "completed", 1_300, 2_000],
  ]);
  const [turn] = readSteps(entries);
  assert.deepEqual(
    turn?.children[0]?.entries.map(({ type }) => type),
    ["llm-response", "step-stats"],
  );
});

test("the steps of a worker are below it", () => {
  const workerId = "run_1";
  const entries = log(
    [0, trigger],
    [10, { type: "worker-execution", workerId, workerSlug: "research" }],
    [500, { ...stats(1, 400), workerId }],
    [600, { type: "worker-output", workerId, output: "done" }],
  );
  assert.deepEqual(rows(entries).slice(1), [
    ["worker", "research", 1, "completed", 10, 600],
    ["model", "local/m", 2, "completed", 100, 500],
  ]);
});

test("the failed call of a model has the error that ended the turn, and is the failure to show", () => {
  const turns = readSteps(
    log(
      [0, trigger],
      [100, { ...call, executor: "platform" }],
      [200, { ...result, status: "error", error: "no such order" }],
      [900, stats(1, 500, "failed")],
      [
        900,
        {
          type: "error",
          errorType: "provider_overloaded",
          message: "Overloaded.",
          source: "provider",
          retryable: true,
          isHandled: false,
        },
      ],
    ),
  );
  assert.equal(turns[0]?.state, "failed");
  const failure = firstFailure(turns[0]);
  assert.equal(failure?.kind, "model");
  assert.equal(failure?.error?.message, "Overloaded.");
});

test("a running turn that waits for its caller is waiting, and has no end", () => {
  const entries = log(
    [0, trigger],
    [500, stats(1, 400, "tool-calls")],
    [500, { ...call, executor: "caller" }],
  );
  assert.deepEqual(rows(entries, "exe_1"), [
    ["turn", "user-message", 0, "waiting", 0, null],
    ["model", "local/m", 1, "completed", 100, 500],
    ["tool", "look", 1, "waiting", 500, null],
  ]);
  assert.equal(rows(entries)[2]?.[3], "cancelled");
});

test("a running turn that waits for nothing is at work since its latest entry", () => {
  const entries = log([0, trigger], [500, stats(1, 400, "tool-calls")]);
  assert.deepEqual(rows(entries, "exe_1").at(-1), ["model", "at work", 1, "running", 500, null]);
  assert.equal(rows(entries).length, 2);
});

test("hours of waiting take a small part of the axis, and the seconds of work keep their proportions", () => {
  const hour = 3_600_000;
  const turns = readSteps(
    log(
      [0, trigger],
      [1_000, stats(1, 1_000, "tool-calls")],
      [1_000, { ...call, executor: "caller" }],
      [2 * hour, again],
      [2 * hour, result],
      [2 * hour + 3_000, stats(2, 3_000)],
    ),
  );
  const { at, gaps, busyMs } = timeAxis(turns, beganMs);
  assert.deepEqual(
    gaps.map(({ label }) => label),
    ["2 h"],
  );
  assert.equal(busyMs, 4_000);
  const share = (fromMs: number, toMs: number) => at(beganMs + toMs) - at(beganMs + fromMs);
  assert.ok(share(1_000, 2 * hour) < 0.1);
  assert.ok(Math.abs(share(2 * hour, 2 * hour + 3_000) / share(0, 1_000) - 3) < 0.001);
  assert.equal(at(beganMs + 2 * hour + 3_000), 1);
});
