import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { makeFolder } from "./support/index.ts";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

const examples = resolve(import.meta.dirname, "../../../examples/second-opinion");
const label = "[demo/echo, not a language model]";
const message = "Use ask-optimist and ask-sceptic: sail?";
const argued = `${label} You said: Argue in three short sentences: ${message}`;

/** A worker without an output that calls another. */
const chairman = {
  "settings.json": JSON.stringify({ slug: "chairman", name: "Chairman", format: "worker" }),
  "protocol.yaml": `
input: { IDEA: { type: string } }
workers: { ask-sceptic: { description: Argues., display: stream } }
steps:
  Ask: { block: run-worker, worker: ask-sceptic, input: { IDEA: IDEA } }
`,
};

describe("workers inside a turn", () => {
  const scope = suiteScope();
  let run: Workplace["run"];
  beforeAll(async () => {
    ({ run } = await startWorkplace(scope, { DEMO_WORD_DELAY_MS: "2" }));
    const own = await makeFolder(scope, chairman);
    for (const cwd of [join(examples, "workers/optimist"), join(examples, "workers/sceptic"), examples, own])
      assert.equal((await run(["agents", "push", "--yes"], { cwd })).code, 0);
  });

  test("only the agent's own text is the output; each worker is two lines, also if they write at the same time", async () => {
    const { code, out, err } = await run(["chat", "second-opinion", "--message", message]);
    assert.equal(code, 0);
    const [calling, summary = "", ...rest] = out.split("\n");
    assert.deepEqual([calling, rest], [`${label} Calling ask-optimist and ask-sceptic.`, [""]]);
    assert.ok(summary.startsWith(`${label} The tool ask-optimist returned: ${argued}`), summary);
    for (const worker of ["ask-optimist", "ask-sceptic"]) {
      assert.ok(err.includes(`[${worker} {"IDEA":"${message}"}]\n`), err);
      assert.ok(err.includes(`  ${worker} -> ${JSON.stringify(argued)}\n`), err);
    }
    assert.equal(err.split("You said").length, 3);
  });

  test("the text of a turn in JSON is the agent's own", async () => {
    const { out } = await run(["chat", "second-opinion", "--json", "--message", message]);
    const [{ text }] = JSON.parse(out).turns;
    assert.ok(text.startsWith(`${label} Calling ask-optimist and ask-sceptic.${label} The tool`), text);
  });

  test("the output of muster run is the worker's own, not that of one which it has called", async () => {
    const { code, out, err } = await run(["run", "chairman", "--json", "--input", "IDEA=Sail"]);
    assert.equal(code, 0, err);
    assert.equal(JSON.parse(out).output, null);
  });
});
