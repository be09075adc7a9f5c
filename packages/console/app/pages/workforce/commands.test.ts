import assert from "node:assert/strict";
import type { ToolCallPart, UiMessage, UiMessagePart } from "@muster/client";
import { test } from "vitest";
import { commandsOf } from "./commands.ts";

const call = (part: Partial<ToolCallPart>): UiMessage => ({
  ...{ id: "m1", role: "assistant", status: "done", createdAt: "2026-11-27T10:00:00Z" },
  parts: [
    {
      ...{ type: "tool-call", toolCallId: "c1", toolName: "shell__run_command", displayName: "" },
      ...{ args: { command: "ls", cwd: "/home/agent/logs" }, status: "done", ...part },
    },
  ],
});

test("a command prints what it has printed live, and afterwards what is stored of it", () => {
  const live = commandsOf([call({ status: "running" })], { c1: "a\nb" });
  assert.deepEqual([live[0]?.output, live[0]?.directory], ["a\nb", "~/logs"]);
  const result = { exitCode: 3, stdout: "a\nb\n", stderr: "c\n" };
  const [stored] = commandsOf([call({ result })], { c1: "a" });
  assert.deepEqual([stored?.output, stored?.problem], ["a\nb\nc\n", "exit 3"]);
});

test("the commands of workers are in the terminal, too, and other tools are not", () => {
  const { parts } = call({});
  const worker: UiMessagePart = {
    ...{ type: "worker" as const, workerId: "w1", workerSlug: "helper", status: "done" as const },
    parts,
  };
  const message = { ...call({}), parts: [worker] };
  assert.equal(commandsOf([message, call({ toolName: "files__read" })], {}).length, 1);
});
