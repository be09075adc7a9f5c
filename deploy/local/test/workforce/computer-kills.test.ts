import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ScriptedRequest, ScriptedStep } from "@muster/models/testing";
import { freePort, startProxy, type TestProxy, temporaryDirectory, until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { type ComputerFault, computerFaults, type FaultKind } from "../support/workforce/computer-faults.ts";
import { type FrameProxy, startFrameProxy } from "../support/workforce/frame-proxy.ts";
import { type HttpAgent, hireOverHttp } from "../support/workforce/http-agent.ts";
import { startMessageFiles } from "../support/workforce/message-files.ts";
import { type Child, Fleet } from "../support/workforce/processes.ts";
import { startGateway } from "../support/workforce/start-gateway.ts";
import { runs, says, startWorkforceWorld, type WorkforceWorld } from "../support/workforce/world.ts";

/** `npm run test:computer-run-kills` has more of them, and of all kinds. */
const kills = Number(process.env.KILLS ?? 3);
const isLong = process.env.KILLS !== undefined;
const seed = Number(process.env.KILLS_SEED ?? 7);
const lines = 3;
/** A run without faults has seven for the file of its message, and four for each call. */
const framesOfRun = 7 + lines * 4;

const timings = { leaseMs: 3_000, renewEveryMs: 300, pollEveryMs: 150, computerStartMs: 15_000 };
const machineTimings = { silentMs: 3_000, leaseMs: 3_000, renewEveryMs: 300, lookEveryMs: 100 };
const suspendedMs = 5_000;

const plans = Array.from({ length: kills }, (_, index) =>
  computerFaults(seed, index, { framesOfRun, isSimple: !isLong }),
);

/** A model that writes numbered lines, one call after the other, whatever the results were. */
function append({ body }: ScriptedRequest): ScriptedStep {
  const messages: Array<{ role: string; content: unknown }> = Array.isArray(body.messages)
    ? body.messages
    : [];
  const done = messages.filter(({ role }) => role === "tool").length;
  const run = /Write (\d+)/.exec(JSON.stringify(messages))?.[1];
  if (done === lines) return says("All lines are written.");
  return runs(`echo ${done} >> log-${run}; echo written $((1000 + ${done}))`);
}

describe(`runs on a computer that dials in, with faults at ${kills} frames (seed ${seed})`, () => {
  const scope = suiteScope();
  let world: WorkforceWorld;
  let files: Awaited<ReturnType<typeof startMessageFiles>>;
  let workforce: Fleet | undefined;
  let computers: Fleet;
  let lou: HttpAgent;
  let dir: string;
  let proxy: FrameProxy;
  let paths: TestProxy[];
  let faults: ComputerFault[] = [];
  const suspended = new Set<Child>();
  const hits = new Map<string, number>();

  beforeAll(async () => {
    files = await startMessageFiles(scope);
    world = await startWorkforceWorld(scope, {
      workforce: { startsRuns: !isLong, timings, machineTimings, files: files.settings },
    });
    world.provider.answerBy(append);
    const ports = isLong ? await startProcesses() : [world.first, await world.addWorkforce()].map(portOf);
    paths = await Promise.all(ports.map((port) => startProxy(scope, port)));
    const addresses = paths.map(({ port }) => `127.0.0.1:${port}`);
    const gateway = await startGateway(scope, world, addresses, isLong);
    lou = await hireOverHttp(gateway, world.definitionId, "dedicated");
    const TOKEN = await gateway.admin.field("token", 201, "POST", lou.tokens, { name: "Machine" });
    proxy = await startFrameProxy(scope, Number(new URL(gateway.url).port));
    proxy.onFrame = onFrame;
    const HOME = await temporaryDirectory(scope);
    dir = join(HOME, "work");
    await mkdir(dir);
    const STATE = join(HOME, "state");
    const env = { ROLE: "computer", URL: `http://127.0.0.1:${proxy.port}`, DIR: dir, STATE, TOKEN, HOME };
    computers = new Fleet(scope, [env]);
  });

  async function startProcesses(): Promise<number[]> {
    const ports = [await freePort(), await freePort()];
    const texts = { TIMINGS: JSON.stringify(timings), MACHINE_TIMINGS: JSON.stringify(machineTimings) };
    const places = { SESSIONS_ADDRESSES: world.env.SESSIONS_ADDRESS, MESSAGE_FILES: files.directory };
    const env = { ...world.env, ...texts, ...places, ROLE: "workforce" };
    workforce = new Fleet(
      scope,
      ports.map((port) => ({ ...env, PORT: String(port) })),
    );
    await workforce.all();
    return ports;
  }

  async function onFrame(name: string, pass: (part: "half" | "all") => void): Promise<void> {
    const fault = faults[0];
    if (fault === undefined || fault.afterFrames-- > 0) return;
    faults.shift();
    hits.set(name, (hits.get(name) ?? 0) + 1);
    if (fault.passes !== "nothing") pass(fault.passes);
    if (fault.passes === "all") await delay(fault.jitterMs);
    await strike(fault.kind);
  }

  async function strike(kind: FaultKind): Promise<void> {
    if (kind === "cut off the computer") proxy.cut();
    else if (kind === "cut off the platform") for (const path of paths) path.restore();
    else if (kind === "suspend the computer") suspend(await computer(), suspendedMs);
    else if (kind === "suspend the computer until the run ends") suspend(await computer());
    else if (kind === "suspend the platform") suspend(await platform(), suspendedMs);
    else {
      if (kind !== "kill the platform") await computers.kill(await computer());
      if (kind !== "kill the computer") await workforce?.kill(await platform());
    }
  }

  function suspend(child: Child, forMs?: number): void {
    child.process.kill("SIGSTOP");
    suspended.add(child);
    if (forMs !== undefined) setTimeout(() => wake(child), forMs);
  }

  function wake(child: Child): void {
    child.process.kill("SIGCONT");
    suspended.delete(child);
  }

  async function computer(): Promise<Child> {
    const [child] = await computers.all();
    return child ?? assert.fail();
  }

  async function platform(): Promise<Child> {
    const children = (await workforce?.all()) ?? [];
    const machine = await machines().findOne({});
    const holder = children.find((child) => child.holder === machine?.lease?.holder);
    return holder ?? children[0] ?? assert.fail();
  }

  const machines = () =>
    world.db.collection<{ _id: string; connectedAt: Date | null; lease: { holder: string } | null }>(
      "machines",
    );

  async function linesOf(index: number): Promise<string[]> {
    const text = await readFile(join(dir, `log-${index}`), "utf8").catch(() => "");
    return text.split("\n").filter(Boolean);
  }

  for (const [index, plan] of plans.entries()) {
    const title = plan.map(
      ({ kind, afterFrames, passes }) => `${kind} at frame ${afterFrames}, of which ${passes} passes`,
    );
    test(`${index + 1}, ${title.join(", then ")}: the run ends, and no command runs twice`, {
      timeout: 180_000,
    }, async () => {
      await until("the computer is connected", async () => (await lou.state()) === "idle null", 60_000);
      faults = structuredClone(plan);
      const file = await files.upload(lou.agentId, `note-${index}.txt`, `Note ${index}`);
      const thread = await lou.ended(await lou.start(`Write ${index}`, [file]), 120_000);
      faults = [];
      for (const child of suspended) wake(child);
      const said = JSON.stringify(thread.messages);
      const outcomes = `${thread.status} ${thread.failureType} ${thread.failureReason}`;
      const mayFail = plan.some(({ kind }) => kind.endsWith("until the run ends"));
      if (mayFail) assert.match(outcomes, /^completed|^failed (?:network|computer_unreachable) /);
      else assert.match(outcomes, /^completed/);
      const found = await linesOf(index);
      assert.equal(new Set(found).size, found.length, `a line was repeated: ${found}`);
      if (thread.status !== "completed") return;
      assert.match(said, /All lines are written\./);
      const unknown = said.split("outcome of this call is unknown").length - 1;
      const known = new Set(Array.from(said.matchAll(/written 100(\d)/g), ([, line]) => line));
      assert.equal(known.size + unknown, lines, `${known.size} outcomes and ${unknown} unknown: ${said}`);
      assert.equal(await readFile(join(dir, `files/note-${index}.txt`), "utf8"), `Note ${index}`);
      for (const line of known) assert.ok(found.includes(line ?? ""), `line ${line} is missing`);
    });
  }

  test("no command runs again after the last fault, and faults have hit each kind of frame", async () => {
    await until("the computer is connected", async () => (await lou.state()) === "idle null", 60_000);
    for (const index of plans.keys()) {
      const found = await linesOf(index);
      assert.equal(new Set(found).size, found.length, `a line of run ${index + 1} was repeated: ${found}`);
    }
    const names =
      kills < 50 ? ["file"] : ["hello", "welcome", "file", "content", "call", "output", "outcome", "ack"];
    console.log(`faults at frames: ${JSON.stringify(Object.fromEntries(hits))}`);
    for (const name of names) assert.ok(hits.has(name), `no fault at a frame ${name}`);
  });
});

function portOf({ address }: { address: string }): number {
  return Number(new URL(`http://${address}`).port);
}
