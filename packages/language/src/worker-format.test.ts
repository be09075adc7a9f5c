import assert from "node:assert/strict";
import { test } from "vitest";
import { compile, errorsIn, settings } from "../test/support/support-chat.ts";
import type { DefinitionSource } from "./source.ts";

const worker = (steps: string): Partial<DefinitionSource> => ({
  settings: { ...settings, format: "worker" },
  protocol: `variables: { RESULT: { type: string } }\nsteps:\n${steps}output: RESULT\n`,
  prompts: [{ name: "task", content: "Do it." }],
});
const open = "  Open: { block: start-thread, thread: work, model: demo/echo, system: task }\n";
const answer = "  Answer: { block: next-message, thread: work, output: RESULT }\n";

test("worker steps use only threads that an earlier step has opened", () => {
  assert.deepEqual(compile(worker(open + answer)).issues, []);
  assert.deepEqual(errorsIn(worker(answer + open)), [["UNKNOWN_THREAD", "steps.Answer.thread"]]);
  const onMain = answer.replace("thread: work, ", "");
  assert.deepEqual(errorsIn(worker(open + onMain)), [["UNKNOWN_THREAD", "steps.Answer"]]);
});

test("worker steps that need no thread compile without one", () => {
  const call = "  Call: { block: tool-call, tool: find }\n";
  const { protocol = "", ...rest } = worker(call + open + answer);
  assert.deepEqual(
    compile({ ...rest, protocol: `tools: { find: { description: x } }\n${protocol}` }).issues,
    [],
  );
});

test("a worker program has the same declarations as an interactive one", () => {
  const { protocol: steps, ...rest } = worker(open + answer);
  const result = compile({ ...rest, protocol: `tools: { find: { description: x } }\n${steps}` });
  assert.ok(result.ok);
  const { tools, workers, mcpServers, skills, references } = result.program;
  assert.deepEqual(Object.keys(tools), ["find"]);
  assert.deepEqual([workers, mcpServers, skills, references], [{}, {}, {}, {}]);
});
