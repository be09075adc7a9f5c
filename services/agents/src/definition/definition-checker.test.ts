import assert from "node:assert/strict";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Reason } from "@muster/proto/errors";
import { readRpcError } from "@muster/rpc";
import { createLogger, silentLogger } from "@muster/service";
import { until } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { refused } from "../../test/support/start-agents.ts";
import { type CheckerOptions, createDefinitionChecker } from "./definition-checker.ts";

const settings = { slug: "a", name: "A", format: "interactive" } as const;
const sound = `
agent: { model: demo/echo }
triggers: { go: }
handlers: { go: { Answer: { block: next-message } } }
`;
const source = (protocol: string) => ({ settings, protocol, prompts: [], references: [] });

const never = 2 ** 31 - 1;
const stays = new AbortController().signal;

/** Some hundred milliseconds of work: a mebibyte of placeholders, none of which is filled. */
const slowest = {
  ...source(sound),
  prompts: Array.from({ length: 16 }, (_, index) => ({ name: `p${index}`, content: "{{A}}".repeat(13_000) })),
};

/** Never replies to a definition that contains `endless`. */
const endlessProgram = new URL("../../test/support/endless-worker.ts", import.meta.url);

/** A checker that is not in a hurry, however busy the machine is. */
function startChecker(t: TestContext, options: Partial<CheckerOptions> = {}) {
  const checker = createDefinitionChecker({
    ...{ log: silentLogger, cpuMs: never, patienceMs: never },
    ...options,
  });
  t.onTestFinished(() => checker.close());
  return checker;
}

test("a checker that is closed while its thread starts logs no failure", async () => {
  const lines: string[] = [];
  const log = createLogger({
    name: "test",
    level: "info",
    destination: { write: (line) => void lines.push(line) },
  });
  const checker = createDefinitionChecker({ log, cpuMs: 100_000 });
  const warm = checker.warmUp();
  await checker.close();
  await warm;
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(lines, []);
});

test("no thread starts before the first definition or the warm-up", async (t) => {
  const started: unknown[] = [];
  const note = (worker: unknown) => started.push(worker);
  process.on("worker", note);
  t.onTestFinished(() => void process.off("worker", note));
  const checker = startChecker(t);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(started.length, 0);
  await checker.warmUp();
  assert.equal(started.length, 1);
  await checker.check("prj_one", source(sound), stays);
  assert.equal(started.length, 1);
});

test("the checker returns the issues of each definition to its own caller", async (t) => {
  const checker = startChecker(t);
  const texts = Array.from({ length: 30 }, (_, index) => (index % 3 === 0 ? sound : `key-${index}: 1`));
  const answers = await Promise.all(
    texts.map((text, index) => checker.check(`prj_${index % 4}`, source(text), stays)),
  );
  for (const [index, { issues }] of answers.entries()) {
    const unknown = issues.find(({ code }) => code === "UNKNOWN_KEY");
    assert.equal(unknown?.path, index % 3 === 0 ? undefined : `key-${index}`);
  }
});

test("a definition that never ends is refused after its processor time, and a new thread checks the next one", async (t) => {
  const checker = startChecker(t, { cpuMs: 50, program: endlessProgram });
  for (let round = 0; round < 2; round++) {
    const { issues } = await checker.check("prj_one", source("endless: 1"), stays);
    assert.deepEqual(
      issues.map(({ code, severity }) => [code, severity]),
      [["INVALID_YAML", "error"]],
    );
    assert.match(issues[0]?.message ?? "", /takes too long/);
    assert.deepEqual(await checker.check("prj_one", source(sound), stays), { issues: [], workers: [] });
  }
});

test("a definition is valid however long it takes, as long as its thread gets too little processor time", async (t) => {
  const cpuMsOf = async () => 7;
  const checker = startChecker(t, { cpuMs: 1, startCpuMs: 1, cpuMsOf });
  const { issues } = await checker.check("prj_one", { ...slowest, protocol: "key: 1" }, stays);
  assert.ok(issues.some(({ code }) => code === "UNKNOWN_KEY"));
});

test("a compiler that does not start within its processor time fails no definition and is started again", async (t) => {
  const checker = startChecker(t, { startCpuMs: 0 });
  for (let round = 0; round < 2; round++) {
    await assert.rejects(checker.check("prj_one", source(sound), stays), refused(Reason.UNAVAILABLE));
    await assert.rejects(checker.warmUp(), refused(Reason.UNAVAILABLE));
  }
});

test("a stopping service refuses waiting definitions and accepts no more", async () => {
  const checker = createDefinitionChecker({ log: silentLogger, cpuMs: 100_000 });
  const waiting = [
    checker.check("prj_one", source(sound), stays),
    checker.check("prj_one", source(sound), stays),
  ];
  const outcomes = Promise.allSettled(waiting);
  await checker.close();
  for (const outcome of await outcomes) {
    assert.ok(outcome.status === "rejected" && refused(Reason.UNAVAILABLE)(outcome.reason));
  }
  await assert.rejects(checker.check("prj_one", source(sound), stays), refused(Reason.UNAVAILABLE));
});

test("a caller that has disconnected gets its abort reason and costs no check", async (t) => {
  const checker = startChecker(t);
  const leaves = new AbortController();
  const checking = checker.check("prj_one", slowest, stays);
  const waiting = Array.from({ length: 20 }, () => checker.check("prj_one", slowest, leaves.signal));
  const outcomes = Promise.allSettled(waiting);
  const last = checker.check("prj_one", source(sound), stays);
  const reason = new Error("gone");
  leaves.abort(reason);
  const startMs = performance.now();
  await checking;
  const oneCheckMs = performance.now() - startMs;
  await last;
  const lastMs = performance.now() - startMs - oneCheckMs;
  assert.ok(
    lastMs < 10 * oneCheckMs,
    `it waited for callers that had gone: ${lastMs} after ${oneCheckMs} ms`,
  );
  for (const outcome of await outcomes) assert.ok(outcome.status === "rejected" && outcome.reason === reason);
});

test("a caller that disconnects during a check gets no result", async (t) => {
  const checker = startChecker(t);
  const leaves = new AbortController();
  const checking = checker.check("prj_one", slowest, leaves.signal);
  leaves.abort(new Error("gone"));
  await assert.rejects(checking, /gone/);
});

test("a hundred definitions of one project that arrive at once wait for their turn", async (t) => {
  const checker = startChecker(t);
  const calls = Array.from({ length: 100 }, () => checker.check("prj_one", source(sound), stays));
  for (const { issues } of await Promise.all(calls)) assert.deepEqual(issues, []);
});

test("the checker refuses definitions of a project once 32 MiB of them wait, and still accepts those of others", async (t) => {
  const checker = startChecker(t, { program: endlessProgram });
  const outcomes: unknown[] = [];
  const check = (projectId: string, protocol: string) =>
    void checker.check(projectId, source(protocol), stays).catch((error: unknown) => outcomes.push(error));
  for (const projectId of ["prj_one", "prj_two"]) check(projectId, "endless");
  const large = "x".repeat(2 * 1024 * 1024);
  for (let count = 0; count < 20; count++) check("prj_one", large);
  check("prj_two", large);
  await until("five are refused", () => outcomes.length === 5);
  for (const error of outcomes) assert.ok(refused(Reason.UNAVAILABLE)(error));
});

test("a definition that waits too long, in line or for the processor, can be sent again", async (t) => {
  const checker = startChecker(t, { patienceMs: 50, program: endlessProgram });
  const [running, inLine] = await Promise.allSettled([
    checker.check("prj_one", source("endless"), stays),
    checker.check("prj_one", source(sound), stays),
  ]);
  for (const outcome of [running, inLine]) {
    assert.ok(outcome.status === "rejected" && refused(Reason.UNAVAILABLE)(outcome.reason));
    assert.equal(readRpcError(outcome.reason).retryAfterMs, 1_000);
  }
});

test("hostile definitions are refused quickly", async (t) => {
  const checker = startChecker(t);
  await checker.check("prj_one", source(sound), stays);
  const size = 128 * 1024;
  const hostile = [
    "[".repeat(size),
    "k: 1\n".repeat(size / 5),
    `a: &a [x,x]\n${"b: &b [*a,*a]\n".repeat(9_000)}`,
    Array.from({ length: 450 }, (_, depth) => `${" ".repeat(depth)}a:\n`).join(""),
  ];
  for (const text of hostile) {
    const before = process.cpuUsage();
    const { issues } = await checker.check("prj_one", source(text), stays);
    const { user, system } = process.cpuUsage(before);
    assert.equal(issues[0]?.code, "INVALID_YAML");
    // The benchmark's limit is 100 ms; here the code may be cold.
    assert.ok(user + system < 1_000_000, `${text.slice(0, 20)}: ${(user + system) / 1_000} ms`);
  }
});

test("the main thread keeps running while the slowest definition is checked", async (t) => {
  const checker = startChecker(t);
  await checker.check("prj_one", source(sound), stays);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startMs = performance.now();
  await checker.check("prj_one", slowest, stays);
  const tookMs = performance.now() - startMs;
  delay.disable();
  const longestMs = delay.max / 1e6;
  assert.ok(longestMs < tookMs / 2, `the main thread was blocked for ${longestMs} of ${tookMs} ms`);
});

test("slow definitions of one project do not delay those of another", async (t) => {
  const checker = startChecker(t);
  const both = [slowest, source(sound)];
  await Promise.all(both.map((warming, index) => checker.check(`prj_${index}`, warming, stays)));
  let answered = 0;
  const busy = Array.from({ length: 4 }, async () => {
    await checker.check("prj_busy", slowest, stays);
    answered += 1;
  });
  await checker.check("prj_other", source(sound), stays);
  assert.equal(answered, 0, "the other project waited");
  await Promise.all(busy);
});
