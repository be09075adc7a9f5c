import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { startComputer } from "@muster/platform-computer/testing";
import { record, type TestClient, type TestScope, temporaryDirectory, until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { type HttpAgent, hireOverHttp } from "../support/workforce/http-agent.ts";
import { allEnded } from "../support/workforce/recorder-world.ts";
import { startGateway } from "../support/workforce/start-gateway.ts";
import { runs, says, startWorkforceWorld, type WorkforceWorld } from "../support/workforce/world.ts";

describe("machines that dial in, over HTTP", () => {
  const scope = suiteScope();
  let world: WorkforceWorld;
  let url: string;
  let admin: TestClient;
  beforeAll(async () => {
    world = await startWorkforceWorld(scope, { workforce: { timings: { computerStartMs: 200 } } });
    ({ url, admin } = await startGateway(scope, world));
  });

  const hire = (kind: string) => hireOverHttp({ url, admin }, world.definitionId, kind);

  /** A home whose folder to work in is a checkout with one commit. */
  async function checkout(t: TestScope): Promise<string> {
    const home = await realpath(await temporaryDirectory(t));
    const cwd = join(home, "work");
    await mkdir(cwd);
    const git = (...args: string[]) =>
      execFileSync("git", args, { cwd, env: { ...process.env, HOME: home } });
    git("init", "--quiet");
    const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    git(...author, "commit", "--quiet", "--allow-empty", "--message", "Fix the pump");
    return home;
  }

  /** Connects a real process as the machine of an agent. */
  async function connect(t: TestScope, { tokens, state }: HttpAgent, home?: string) {
    const token = await admin.json(201, "POST", tokens, { name: "Laptop" });
    const env = { MUSTER_COMPUTER_TOKEN: String(token.token) };
    const args = ["--region", "berlin"];
    const computer = await startComputer(t, { url }, { args, env, ...(home !== undefined && { home }) });
    await until("the agent is available", async () => (await state()) === "idle null");
    return { token, computer };
  }

  test("an agent reads the log of a checkout on a connected machine, whose process ends when its token is deleted", async (t) => {
    const lou = await hire("cli");
    assert.equal(await lou.state(), "unavailable cli_only");
    const { token, computer } = await connect(t, lou, await checkout(t));
    world.provider.add(runs("git log --oneline"), says("It was fixed."));
    const thread = await lou.ended(await lou.start("Has the pump been fixed?"));
    assert.equal(thread.status, "completed", String(thread.failureReason));
    assert.match(JSON.stringify(thread.messages), /[0-9a-f]{7} Fix the pump/);
    const { kind, os, region, runtimeVersion } = record(record(thread.provenance).computer);
    const platform = process.platform === "darwin" ? "macos" : "linux";
    assert.deepEqual([kind, os, region, runtimeVersion], ["cli", platform, "berlin", "0.1.0"]);
    assert.equal(await lou.state(), "idle null");

    await admin.json(200, "DELETE", `${lou.tokens}/${String(token.id)}`);
    assert.equal(await computer.ended, 1);
    assert.match(computer.printed(), /^Error: .*token/m);
    const machines = world.db.collection<{ _id: string; connectedAt: Date | null }>("machines");
    const _id = String(token.computerId);
    await until("the end is stored", async () => (await machines.findOne({ _id }))?.connectedAt === null);
    // Runs wait for its next connection until then.
    await machines.updateOne({ _id }, { $set: { lastSeenAt: new Date(Date.now() - 30_000) } });
    assert.equal(await lou.state(), "unavailable cli_only");
  });

  test("a cancelled run leaves no process of its command on the machine", async (t) => {
    const lou = await hire("cli");
    const { computer } = await connect(t, lou);
    world.provider.add(runs("sleep 1000 & echo $$ $! > pids; wait"));
    const thread = await lou.start("Wait");
    const pids = async () =>
      (await readFile(join(computer.dir, "pids"), "utf8").catch(() => "")).trim().split(" ").map(Number);
    await until("the command runs", async () => (await pids()).length === 2);
    assert.equal(await lou.state(), "busy null");
    await lou.cancel(thread);
    assert.equal((await lou.ended(thread)).status, "cancelled");
    await allEnded(await pids());
  });

  test("a thread for a machine that never connects is accepted, and fails without having started", async () => {
    const lou = await hire("dedicated");
    assert.equal(await lou.state(), "unavailable computer_down");
    const thread = await lou.ended(await lou.start("Work"));
    assert.deepEqual(
      [thread.status, thread.failureType, thread.startedAt],
      ["failed", "computer_unreachable", null],
    );
  });
});
