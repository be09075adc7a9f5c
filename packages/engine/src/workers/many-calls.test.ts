import assert from "node:assert/strict";
import type { WorkerProgram } from "@muster/language";
import { test } from "vitest";
import { answer, call, results, start, text } from "../../test/support/model-parts.ts";
import { eventsOf, play } from "../../test/support/play.ts";
import { ask, open, programOf, say, use, workerOf } from "../../test/support/programs.ts";
import type { Input, LibraryWorker, Machine } from "../boundary/machine.ts";

const names = ["one", "two", "three"];
const caller = programOf({
  blocks: [ask()],
  workers: { one: "stream", two: "stream", three: "stream" },
  agent: { workers: names },
});
const library = (three: WorkerProgram) =>
  new Map(
    names.map((slug): [string, LibraryWorker] => {
      const program = slug === "three" ? three : finder;
      return [slug, { agentId: slug, agentVersion: 1, program }];
    }),
  );
const finder = workerOf({
  steps: [open("main", { tools: ["find"] }), say("Hi"), ask()],
  tools: { find: "stream" },
});

/** The first two workers make 600 calls each. */
function twoWorkers(three: WorkerProgram) {
  const all = names.map((name) => call(name, name, { TEXT: "x" }));
  const { machine } = play(caller, [start, ...answer(...all)], { workers: library(three) });
  const ids = machine.frame.workers?.map(({ frame }) => frame.workerId ?? "") ?? [];
  const calls = Array.from({ length: 600 }, (_, index) => call(`c${index}`, "find"));
  for (const id of ids.slice(0, 2)) take(machine, of(id, answer(...calls)));
  return { machine, ids };
}

function of(workerId: string, inputs: Input[]): Input[] {
  return inputs.map((input) =>
    input.type === "model-part" || input.type === "model-done" ? { ...input, workerId } : input,
  );
}

function take(machine: Machine, inputs: Input[]) {
  return inputs.flatMap((input) => machine.advance(input)).flatMap(eventsOf);
}

test("workers together wait for as many calls as a caller may send results for; the others fail, and all workers continue", () => {
  const { machine, ids } = twoWorkers(finder);
  const events = take(machine, of(ids[2] ?? "", answer(text("Ready."))));
  const request = events.find(({ type }) => type === "tool-request");
  assert.ok(request?.type === "tool-request");
  const count = (workerId: string | undefined) =>
    request.toolCalls.filter((each) => each.workerId === workerId).length;
  assert.deepEqual(ids.map(count), [600, 400, 0]);
  const given = Object.fromEntries(request.toolCalls.map(({ toolCallId }) => [toolCallId, "gold"]));
  const [first, second] = machine.advance(results(given)).filter((effect) => effect.type === "call-model");
  assert.equal(JSON.stringify(first?.call.options.prompt).match(/gold/g)?.length, 600);
  const prompt = JSON.stringify(second?.call.options.prompt);
  assert.equal(prompt.match(/gold/g)?.length, 400);
  assert.match(prompt, /At most 1000 calls .* Make this call again/);
});

test("a block whose call is one too many leaves its variable without a value, and the next block runs", () => {
  const blocks = [use("find", { output: "FOUND" }), use("find", { output: "FOUND" })];
  const late = workerOf({
    steps: [open("main"), ask(), ...blocks],
    output: "FOUND",
    tools: { find: "stream" },
  });
  const { machine, ids } = twoWorkers(late);
  const events = take(machine, of(ids[2] ?? "", answer(text("Ready."))));
  const ended = events.find((event) => event.type === "worker-result");
  assert.deepEqual([ended?.workerId, ended?.output], [ids[2], null]);
  assert.equal(machine.frame.pendingToolCalls.length, 1_000);
});
