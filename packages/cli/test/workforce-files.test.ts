import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "vitest";
import { makeFolder } from "./support/index.ts";
import { startScriptedWorkplace } from "./support/workplace.ts";

describe("muster workforce run --file", () => {
  test("uploads the files, and the agent reads them on its computer", async (t) => {
    const command = "sort ~/files/report.csv ~/files/notes.md";
    const { run } = await startScriptedWorkplace(t, [
      { parts: [{ toolCalls: [{ name: "shell__run_command", arguments: { command } }] }] },
      { parts: [{ text: "Sorted." }] },
    ]);
    const folder = await makeFolder(t, {
      "report.csv": "web-2,1\nweb-1,7\n",
      "notes.md": "# Hosts\n",
      empty: "",
    });
    const model = ["--model", "anthropic/claude-sonnet-4-5"];
    const hired = await run(["workforce", "hire", "log-analyst", "--name", "Lou", ...model]);
    assert.equal(hired.code, 0, hired.err);
    const ask = (...more: string[]) => run(["workforce", "run", "Lou", "Sort these", ...more]);
    const file = (name: string) => ["--file", join(folder, name)];

    const sent = await ask(...file("report.csv"), ...file("notes.md"), "--wait");
    assert.equal(sent.code, 0, sent.err);
    assert.match(sent.out, /Sorted\./);
    assert.match(sent.err, /# Hosts\nweb-1,7\nweb-2,1\n/);

    for (const [args, problem] of [
      [file("missing"), /missing is not a file that can be read/],
      [["--file", folder], /is not a file that can be read/],
      [file("empty"), /empty is empty/],
      [[...file("report.csv"), "--idempotency-key", "a"], /Omit --idempotency-key with --file/],
    ] as const) {
      const refused = await ask(...args);
      assert.deepEqual([refused.code, problem.test(refused.err)], [2, true], refused.err);
    }
  });
});
