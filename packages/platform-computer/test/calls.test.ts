import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "@muster/testing";
import { test } from "vitest";
import { processStartOf } from "../src/state/process-start.ts";
import { connect } from "./support/connect.ts";
import { agent, outputOf } from "./support/platform.ts";

test("a repeated call is answered with its outcome, and is not executed again", async (t) => {
  const { platform, dir } = await connect(t);
  await platform.connected();
  const first = await platform.run("a", "echo x >> log; cat log");
  platform.call("a", "shell__run_command", { command: "echo x >> log; cat log" });
  assert.deepEqual(await platform.outcome("a", 2), first);
  assert.equal(await readFile(join(dir, "log"), "utf8"), "x\n");
});

test("a command continues while the connection is lost, and its outcome arrives on the next one", async (t) => {
  const { platform, dir } = await connect(t);
  await platform.connected();
  const wait = "echo early; until [ -e go ]; do sleep 0.01; done; echo late; echo x >> log";
  platform.call("a", "shell__run_command", { command: wait });
  await until("it prints", () => outputOf(platform.frames, "a") === "early\n");
  platform.cut();
  await until("it is connected again", () => platform.connections === 2);
  platform.call("a", "shell__run_command", { command: wait });
  await writeFile(join(dir, "go"), "");
  assert.deepEqual(await platform.outcome("a"), {
    result: { exitCode: 0, stdout: "early\nlate\n", stderr: "" },
  });
  assert.equal(outputOf(platform.frames, "a"), "early\nlate\n");
  assert.equal(await readFile(join(dir, "log"), "utf8"), "x\n");
});

test("an outcome that was not acknowledged is sent on each connection", async (t) => {
  const { platform } = await connect(t);
  await platform.connected();
  platform.acknowledges = false;
  const outcome = await platform.run("a", "echo 1");
  platform.cut();
  assert.deepEqual(await platform.outcome("a", 2), outcome);
  platform.send({ case: "ack", value: { key: { agentId: agent.agentId, callId: "a" } } });
  await platform.run("b", "true");
  platform.cut();
  await until("it is connected again", () => platform.connections === 3);
  await platform.outcome("b", 2);
  const sent = platform.frames.filter((frame) => frame.case === "outcome" && frame.value.key?.callId === "a");
  assert.equal(sent.length, 2);
});

test("an aborted command is killed with the processes that it started, also if they ignore SIGTERM", async (t) => {
  const { platform, dir } = await connect(t);
  await platform.connected();
  const command = "trap '' TERM; (trap '' TERM; echo $BASHPID > child; sleep 1000) & echo $$ > leader; wait";
  platform.call("a", "shell__run_command", { command });
  const pid = async (name: string) => Number(await readFile(join(dir, name), "utf8").catch(() => "0"));
  await until("both run", async () => (await pid("child")) > 0 && (await pid("leader")) > 0);
  platform.send({ case: "abort", value: { key: { agentId: agent.agentId, callId: "a" } } });
  assert.deepEqual(await platform.outcome("a"), { aborted: true });
  const [child, leader] = [await pid("child"), await pid("leader")];
  for (const gone of [child, leader]) assert.equal(processStartOf(gone), undefined);
  platform.call("a", "shell__run_command", { command });
  assert.deepEqual(await platform.outcome("a", 2), { aborted: true });
});

test("an abort of a call that waits for its turn is answered, and the call never runs", async (t) => {
  const { platform } = await connect(t);
  await platform.connected();
  platform.call("a", "shell__run_command", { command: "until [ -e go ]; do sleep 0.01; done" });
  platform.call("b", "shell__run_command", { command: "echo x > b" });
  platform.send({ case: "abort", value: { key: { agentId: agent.agentId, callId: "b" } } });
  platform.send({ case: "abort", value: { key: { agentId: agent.agentId, callId: "a" } } });
  platform.send({ case: "abort", value: { key: { agentId: agent.agentId, callId: "unknown" } } });
  assert.deepEqual(await platform.outcome("a"), { aborted: true });
  assert.deepEqual(await platform.outcome("b"), { aborted: true });
  assert.deepEqual(await platform.outcome("unknown"), { aborted: true });
  assert.deepEqual(
    await platform.run("c", "ls b; true").then((outcome) => JSON.stringify(outcome).includes("No such")),
    true,
  );
});

test("a command leaves no process of its group, and a process that leaves the group does not delay the outcome", async (t) => {
  const { platform, dir } = await connect(t);
  await platform.connected();
  await platform.run("a", "sleep 1000 & echo $! > child; echo done");
  const child = Number(await readFile(join(dir, "child"), "utf8"));
  assert.equal(processStartOf(child), undefined);
  const left = await platform.run(
    "b",
    "setsid sh -c 'echo $$ > left; exec sleep 1000' & until [ -s left ]; do sleep 0.01; done; echo ok",
  );
  const pid = Number(await readFile(join(dir, "left"), "utf8"));
  t.onTestFinished(() => void process.kill(pid, "SIGKILL"));
  assert.deepEqual(left, { result: { exitCode: 0, stdout: "ok\n", stderr: "" } });
});

test("long output is shown up to 256 KiB, and its beginning and end are in the result", async (t) => {
  const { platform } = await connect(t);
  await platform.connected();
  const outcome = JSON.stringify(await platform.run("a", "seq 1 400000; echo end"));
  const shown = outputOf(platform.frames, "a");
  assert.ok(
    shown.startsWith("1\n2\n") && shown.length <= 256 * 1024 && shown.length > 200 * 1024,
    `${shown.length}`,
  );
  assert.match(outcome, /"stdout":"1\\n2\\n.*bytes cut here.*400000\\nend\\n"/s);
  assert.ok(outcome.length < 80 * 1024);
});

test("a command that takes too long, prints too much, or is too long is stopped with a note", async (t) => {
  const { platform } = await connect(t);
  await platform.connected();
  platform.call("slow", "shell__run_command", { command: "echo 1; sleep 100", timeoutSeconds: 1 });
  const { exitCode, note } = resultIn(await platform.outcome("slow"));
  assert.deepEqual(
    [exitCode, note],
    [124, "The command was stopped after 1 seconds. Its changes to files until then were kept."],
  );
  const loud = resultIn(await platform.run("loud", "yes"));
  assert.equal(loud.exitCode, 137);
  assert.match(String(loud.note), /printed more than 64 MiB/);
  assert.match(JSON.stringify(await platform.run("long", `: ${"ö".repeat(70_000)}`)), /longer than 120 KiB/);
  assert.match(JSON.stringify(await platform.run("cwd", "  ")), /must not be empty/);
});

test("a newer epoch of an agent shuts out older ones, also after a restart", async (t) => {
  const first = await connect(t);
  const { platform, home } = first;
  await platform.connected();
  platform.call("a", "shell__run_command", { command: "true" }, 7n);
  await platform.outcome("a");
  platform.call("b", "shell__run_command", { command: "true" }, 6n);
  assert.deepEqual(await platform.outcome("b"), { staleEpoch: 7n });
  first.stop();
  assert.equal(await first.ended, undefined);
  await connect(t, { home, platform });
  await until("it is connected again", () => platform.connections === 2);
  platform.call("c", "shell__run_command", { command: "true" }, 6n);
  assert.deepEqual(await platform.outcome("c"), { staleEpoch: 7n });
  platform.send({
    case: "file",
    value: { id: 1n, agentId: agent.agentId, epoch: 6n, action: { case: "list", value: "." } },
  });
  await until("the request is refused", () => platform.frames.some((frame) => frame.case === "file"));
  const hello = platform.frames.findLast((frame) => frame.case === "hello");
  assert.ok(hello?.case === "hello" && hello.value.epoch === 1n);
});

function resultIn(outcome: unknown): Record<string, unknown> {
  assert.ok(typeof outcome === "object" && outcome !== null && "result" in outcome, JSON.stringify(outcome));
  assert.ok(typeof outcome.result === "object");
  return { ...outcome.result };
}
