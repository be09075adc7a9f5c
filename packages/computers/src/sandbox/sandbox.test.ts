import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { onEachRuntime } from "../../test/support/open-computers.ts";
import type { OutputChunk } from "../computer.ts";

onEachRuntime(({ openComputer }) => {
  describe("a command", () => {
    test("returns its exit code and its output", async (t) => {
      const { run } = await openComputer(t);
      assert.deepEqual(await run("echo hello; echo problem >&2; exit 3"), {
        exitCode: 3,
        stdout: "hello\n",
        stderr: "problem\n",
      });
    });

    test("finds the files of earlier ones, and the home directory by default", async (t) => {
      const { run } = await openComputer(t);
      await run("mkdir -p notes && echo one > notes/a.txt");
      assert.equal(
        (await run("pwd; cat notes/a.txt; ls -a ~")).stdout,
        "/home/agent\none\n.\n..\nfiles\nnotes\n",
      );
    });

    test("shows its output while it runs, in order", async (t) => {
      const { run } = await openComputer(t);
      const chunks: OutputChunk[] = [];
      await run("for i in 1 2 3; do echo $i; echo e$i >&2; sleep 0.05; done; echo end", { chunks });
      assert.deepEqual(
        chunks.map(({ text }) => text),
        ["1\n", "e1\n", "2\n", "e2\n", "3\n", "e3\n", "end\n"],
      );
      const times = chunks.map(({ atMs }) => atMs);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
      assert.ok((times[6] ?? 0) - (times[0] ?? 0) >= 100, `${times}`);
    });
  });
});
