import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { onEachRuntime } from "../../test/support/open-computers.ts";
import type { OutputChunk } from "../computer.ts";

onEachRuntime(({ runtime, openComputer }) => {
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

    test("shows its output while it runs", async (t) => {
      const { computer, run } = await openComputer(t);
      const chunks: OutputChunk[] = [];
      const running = run("echo first; sleep 600; echo last", { id: "call_a", chunks }).catch(
        () => "aborted",
      );
      await until("the output is shown", () => chunks.length > 0);
      await computer.abort("call_a");
      assert.equal(await running, "aborted");
      assert.deepEqual(
        chunks.map(({ stream, text }) => [stream, text]),
        [["stdout", "first\n"]],
      );
    });

    test("shows its output in order, with the time of each piece", async (t) => {
      const { run } = await openComputer(t);
      const chunks: OutputChunk[] = [];
      await run("for i in 1 2 3; do echo $i; echo e$i >&2; sleep 0.05; done; echo end", { chunks });
      const shown = chunks.map(({ text }) => text);
      // Real programs have two pipes: a service that is late reads several pieces of one before those of the other.
      if (runtime === "simulated")
        assert.deepEqual(shown, ["1\n", "e1\n", "2\n", "e2\n", "3\n", "e3\n", "end\n"]);
      const of = (name: OutputChunk["stream"]) =>
        chunks.flatMap(({ stream, text }) => (stream === name ? [text] : [])).join("");
      assert.deepEqual([of("stdout"), of("stderr")], ["1\n2\n3\nend\n", "e1\ne2\ne3\n"]);
      const times = chunks.map(({ atMs }) => atMs);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
    });
  });
});
