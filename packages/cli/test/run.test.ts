import assert from "node:assert/strict";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { helper, makeFolder } from "./support/index.ts";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

const worker = {
  "settings.json": '{ "slug": "looker", "name": "Looker", "format": "worker" }\n',
  "protocol.yaml": `input:
  TASK: { type: string }
variables:
  RESULT: { type: string }
tools:
  get-order:
    description: Looks up an order.
    parameters:
      orderNumber: { type: string }
steps:
  Begin: { block: start-thread, thread: main, model: demo/echo, tools: [get-order], agentic: true, maxSteps: 5 }
  Ask: { block: add-message, thread: main, role: user, prompt: task, input: [TASK] }
  Answer: { block: next-message, thread: main, output: RESULT }
output: RESULT
`,
  "prompts/task.md": "{{TASK}}",
};

describe("muster run", () => {
  const scope = suiteScope();
  let run: Workplace["run"];
  beforeAll(async () => {
    ({ run } = await startWorkplace(scope));
    for (const files of [worker, helper]) {
      const pushed = await run(["agents", "push", "--yes"], { cwd: await makeFolder(scope, files) });
      assert.equal(pushed.code, 0, pushed.err);
    }
  });

  test("muster run prints only the output of the worker to standard output", async () => {
    const { code, out, err } = await run(["run", "looker", "--input", "TASK=Say hello"]);
    assert.deepEqual([code, out], [0, "[demo/echo, not a language model] You said: Say hello\n"], err);
  });

  test("muster run --tool supplies the results of a worker's tools, and --json reports the calls and the cost", async () => {
    const args = ["--input", "TASK=Use get-order for 7", "--tool", "get-order=cmd:cat", "--json"];
    const { code, out } = await run(["run", "looker", ...args]);
    assert.equal(code, 0, out);
    const report = JSON.parse(out);
    assert.match(report.output, /get-order/);
    assert.deepEqual(report.toolCalls[0].args, { orderNumber: "7" });
    assert.deepEqual([report.error, report.cost.totalFee], [null, 0]);
  });

  test("muster run rejects missing and undeclared input", async () => {
    const missing = await run(["run", "looker"]);
    assert.equal(missing.code, 1);
    assert.match(missing.err, /TASK/);
    const unknown = await run(["run", "looker", "--input", "TSK=x"]);
    assert.deepEqual([unknown.code, /Declared input: TASK/.test(unknown.err)], [2, true]);
  });

  test("muster run rejects an interactive agent, and the error shows how to chat with it", async () => {
    const { code, err } = await run(["run", "helper"]);
    assert.equal(code, 1);
    assert.match(err, /INTERACTIVE_AGENT\)\nTo chat with it, run: muster chat helper\n/);
  });
});
