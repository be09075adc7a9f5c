import assert from "node:assert/strict";
import {
  type CallOutcome,
  type ComputerCall,
  ComputerUnreachableError,
  StaleEpochError,
} from "@muster/computers";
import { ClaimStopped } from "@muster/service/claim";
import { StoreUnreachableError } from "@muster/store";
import { until } from "@muster/testing";
import { test } from "vitest";
import { computerThat } from "../../../test/support/computer-that.ts";
import { anAgent } from "../../../test/support/documents.ts";
import { ThreadLog } from "../../events/thread-log.ts";
import { ActiveRun } from "../slot/active-run.ts";
import { Broken } from "./broken.ts";
import { performCalls } from "./perform-calls.ts";

const name = "shell__run_command";

function aRun() {
  const current = { threadId: "thr_1", runId: "run_1" };
  return new ActiveRun({ ...anAgent(), epoch: 7, current }, false);
}

const aLog = () =>
  new ThreadLog({
    thread: { projectId: "prj_test", threadId: "thr_1", epoch: 7 },
    ...{ end: null, writer: "w", onDue: () => undefined, nowMs: () => 0, expiresAt: () => new Date(0) },
  });

const request = (...names: string[]) => ({
  id: "run_1:1:1",
  calls: names.map((each, index) => ({ toolCallId: `call_${index}`, name: each, args: '{"command":"ls"}' })),
});

test("each call has an id of its own, the same in every process, and results arrive in order", async () => {
  const seen: ComputerCall[] = [];
  const { computer } = computerThat(async (call) => {
    seen.push(call);
    return { result: { exitCode: seen.length } };
  });
  for (let process = 0; process < 2; process += 1) {
    const performed = await performCalls(computer, aRun(), request(name, name), aLog());
    assert.deepEqual(
      performed.map(({ toolCallId }) => toolCallId),
      ["call_0", "call_1"],
    );
  }
  assert.deepEqual(
    seen.map(({ id }) => id),
    ["run_1:1:1:0", "run_1:1:1:1", "run_1:1:1:0", "run_1:1:1:1"],
  );
  assert.deepEqual([seen[0]?.epoch, seen[0]?.args], [7, { command: "ls" }]);
});

test("an unknown outcome tells the model to check before it repeats the call", async () => {
  const { computer } = computerThat(async () => ({ unknown: true }));
  const [performed] = await performCalls(computer, aRun(), request(name), aLog());
  assert.equal(performed?.outcome.case, "error");
  assert.match(performed?.outcome.value ?? "", /unknown.*Check/);
});

test("a call during an outage of the store is sent again under its id, until the run stops", async () => {
  const seen: string[] = [];
  const { computer } = computerThat(async ({ id }) => {
    seen.push(id);
    if (seen.length === 1) throw new StoreUnreachableError("a test", "no answer");
    return { result: "done" };
  });
  const [performed] = await performCalls(computer, aRun(), request(name), aLog());
  assert.deepEqual(performed?.outcome, { case: "resultJson", value: '"done"' });
  assert.deepEqual(seen, ["run_1:1:1:0", "run_1:1:1:0"]);

  const run = aRun();
  const down = computerThat(async () => {
    run.stop("cancelled");
    throw new StoreUnreachableError("a test", "no answer");
  });
  await assert.rejects(performCalls(down.computer, run, request(name), aLog()), ClaimStopped);
});

test("a step executes no more calls than its computer remembers, and the model is told", async () => {
  let calls = 0;
  const { computer } = computerThat(async () => {
    calls += 1;
    return { result: null };
  });
  const many = request(...Array.from({ length: 201 }, () => name));
  const performed = await performCalls(computer, aRun(), many, aLog());
  assert.equal(calls, performed.filter(({ outcome }) => outcome.case === "resultJson").length);
  assert.ok(calls < 200, `${calls}`);
  assert.match(performed.at(-1)?.outcome.value ?? "", /in the next step/);
});

test("a call of a tool without an executor fails with a sentence that says so", async () => {
  const { computer } = computerThat(() => assert.fail("not expected"));
  const [performed] = await performCalls(computer, aRun(), request("lookup"), aLog());
  assert.match(performed?.outcome.value ?? "", /^The tool lookup is not available/);
});

test("results that no message could contain are left out, and the model is told", async () => {
  const { computer } = computerThat(async () => ({ result: "x".repeat(1_900_000) }));
  const performed = await performCalls(computer, aRun(), request(name, name, name, name), aLog());
  assert.deepEqual(
    performed.map(({ outcome }) => outcome.case),
    [...["resultJson", "resultJson", "resultJson"], "error"],
  );
});

test("output goes to the thread's events up to a bound", async () => {
  const log = aLog();
  const { computer } = computerThat(async (_call, output) => {
    for (let count = 0; count < 400; count += 1)
      output({ stream: "stdout", text: "x".repeat(1_024), atMs: 0 });
    return { result: null };
  });
  await performCalls(computer, aRun(), request(name), log);
  let length = 0;
  while (log.isDue) {
    const document = log.nextDocument();
    length += document.events.length;
    log.written(document);
  }
  assert.ok(length > 256 * 1024 && length < 300 * 1024, `${length}`);
});

test("a cancelled run kills its call, waits until nothing of it is left, and sends no other", async () => {
  const run = aRun();
  let calls = 0;
  const { computer, aborted } = computerThat((_call, _output, signal) => {
    calls += 1;
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  const performing = performCalls(computer, run, request(name, name), aLog());
  await until("the call is under way", () => calls === 1);
  run.stop("cancelled");
  await assert.rejects(performing, (error) => error instanceof ClaimStopped && error.stop === "cancelled");
  assert.deepEqual([calls, aborted], [1, ["run_1:1:1:0"]]);
});

test("a process that drains allows its call to end, and sends no other", async () => {
  const run = aRun();
  const { promise, resolve } = Promise.withResolvers<CallOutcome>();
  let signals = 0;
  const { computer } = computerThat((_call, _output, signal) => {
    signal.addEventListener("abort", () => {
      signals += 1;
    });
    return promise;
  });
  const performing = performCalls(computer, run, request(name, name), aLog());
  run.stop("draining");
  resolve({ result: "done" });
  await assert.rejects(performing, (error) => error instanceof ClaimStopped && error.stop === "draining");
  assert.equal(signals, 0);
});

test("a call that outlasts the time to drain is left to the next process", async () => {
  const run = aRun();
  const { computer } = computerThat(() => new Promise(() => undefined));
  const performing = performCalls(computer, run, request(name), aLog());
  run.stop("draining");
  run.abandon();
  await assert.rejects(performing, ClaimStopped);
});

test("a computer that a newer holder has stops the run, and a lost one breaks it", async () => {
  const run = aRun();
  const stale = computerThat(async () => Promise.reject(new StaleEpochError("agt_1", 7)));
  await assert.rejects(performCalls(stale.computer, run, request(name), aLog()), ClaimStopped);
  assert.equal(run.cause, "lost");
  const lost = computerThat(async () => Promise.reject(new ComputerUnreachableError("gone")));
  await assert.rejects(
    performCalls(lost.computer, aRun(), request(name), aLog()),
    (error) => error instanceof Broken && error.breakage.at === "computer",
  );
});
