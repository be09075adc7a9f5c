import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { temporaryDirectory, until } from "@muster/testing";
import { test } from "vitest";
import { buildPackage } from "../build/build-package.ts";
import { processStartOf } from "../src/state/process-start.ts";
import { agent, type Platform, startPlatform } from "./support/platform.ts";
import { startComputer } from "./support/start-computer.ts";

/** Points at which the process is killed, in turn; the last one at a random moment. */
const points = ["at the call", "at begin", "while it runs", "at the outcome", "at random"] as const;
const rounds = points.length * Number(process.env.LONG_RUN || 1);

test.skipIf(process.platform !== "linux")(
  "a computer with a full disk refuses calls and files with a sentence, and stays connected",
  async (t) => {
    const platform = await startPlatform(t);
    const { child, dir } = await startComputer(t, platform);
    await platform.connected();
    await platform.run("a", "echo a");
    const room = (bytes: string) =>
      execFileSync("prlimit", ["--pid", String(child.pid), `--fsize=${bytes}:unlimited`]);
    room("0");
    platform.call("b", "shell__run_command", { command: "touch b" }, 2n);
    assert.match(JSON.stringify(await platform.outcome("b")), /cannot store the call, so it is not executed/);
    const list = { agentId: agent.agentId, epoch: 2n, action: { case: "list", value: "." } } as const;
    platform.send({ case: "file", value: { id: 1n, ...list } });
    await until("the files are refused", () =>
      platform.frames.some(({ value }) => JSON.stringify(value, plain).includes("cannot store its state")),
    );
    assert.equal(platform.connections, 1);
    platform.cut();
    await until("it is connected again", () => platform.connections === 2);
    platform.call("c", "shell__run_command", { command: "touch c" }, 3n);
    assert.match(JSON.stringify(await platform.outcome("c")), /cannot store the call/);
    room("unlimited");
    platform.call("d", "shell__run_command", { command: "ls" }, 4n);
    assert.deepEqual(await platform.outcome("d"), { result: { exitCode: 0, stdout: "", stderr: "" } });
    assert.deepEqual([platform.connections, await readdir(dir)], [2, []]);
  },
);

const plain = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

test("a computer that is killed at any point executes no command twice, and each call ends", async (t) => {
  const dist = join(await temporaryDirectory(t), "dist");
  // It starts faster than the sources.
  await buildPackage(dist);
  const command = [process.execPath, join(dist, "bin/muster-computer.mjs")] as const;
  const platform = await startPlatform(t);
  platform.acknowledges = false;
  const random = randomOf(Number(process.env.SEED || 1));
  const calls = new Map<string, { script: string; outcome?: unknown }>();
  let home: string | undefined;
  for (let round = 0; round <= rounds; round++) {
    const before = platform.connections;
    const computer = await startComputer(t, platform, { command, ...(home !== undefined && { home }) });
    home = computer.home;
    const { dir } = computer;
    const log = async (path = join(dir, "log")) => await readFile(path, "utf8").catch(() => "");
    await until("the computer is connected", () => platform.connections > before);
    for (const [id, { script }] of calls) platform.call(id, "shell__run_command", { command: script });
    for (const [id, call] of calls) call.outcome ??= await latestOutcome(platform, id, before);
    for (const [id, { outcome }] of calls) {
      const again = await latestOutcome(platform, id, before);
      assert.deepEqual(again, outcome, `${id} has one outcome`);
      const times = (await log()).split("\n").filter((line) => line === id).length;
      const isKnown = typeof outcome === "object" && outcome !== null && "result" in outcome;
      assert.ok(isKnown ? times === 1 : times <= 1, `${id} ran ${times} times: ${JSON.stringify(outcome)}`);
    }
    if (round === rounds) break;
    const point = points[round % points.length];
    const id = `call${round}`;
    const script =
      point === "while it runs" ? `echo ${id} >> log; echo $$ > pid-${id}; sleep 1000` : `echo ${id} >> log`;
    calls.set(id, { script });
    platform.call(id, "shell__run_command", { command: script });
    if (point === "at begin") {
      const journal = () => log(join(computer.home, "state/journal"));
      await until("the call has begun", async () => (await journal()).includes(`"callId":"${id}"`));
    } else if (point === "while it runs") {
      await until("the command runs", async () => (await log(join(dir, `pid-${id}`))).endsWith("\n"));
    } else if (point === "at the outcome") await platform.outcome(id);
    else if (point === "at random") await sleep(random() * 100);
    await computer.kill();
    if (point === "while it runs") {
      const pid = Number(await log(join(dir, `pid-${id}`)));
      await until("the killed computer's command is gone", () => processStartOf(pid) === undefined);
    }
  }
  const unknown = calls.get("call2")?.outcome;
  assert.deepEqual(unknown, { unknown: true });
  const known = calls.get("call3")?.outcome;
  assert.deepEqual(known, { result: { exitCode: 0, stdout: "", stderr: "" } });
});

/** The outcome of a call that arrived since a number of connections. */
async function latestOutcome(platform: Platform, callId: string, connections: number): Promise<unknown> {
  const hellos = platform.frames.flatMap((frame, index) => (frame.case === "hello" ? [index] : []));
  const since = platform.frames.slice(0, hellos[connections]);
  const earlier = since.filter(
    (frame) =>
      frame.case === "outcome" &&
      frame.value.key?.callId === callId &&
      frame.value.key.agentId === agent.agentId,
  );
  return await platform.outcome(callId, earlier.length + 1);
}

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
