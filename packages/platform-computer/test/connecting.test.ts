import assert from "node:assert/strict";
import { readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory, until } from "@muster/testing";
import { test } from "vitest";
import { processStartOf } from "../src/state/process-start.ts";
import { connect } from "./support/connect.ts";
import { outputOf, startPlatform } from "./support/platform.ts";
import { startComputer } from "./support/start-computer.ts";

test("a computer connects, introduces itself, executes a command and ends with exit code 0", async (t) => {
  const platform = await startPlatform(t);
  const computer = await startComputer(t, platform, {
    args: ["--region", "berlin"],
    env: { MUSTER_X: "1", Y: "2" },
  });
  await platform.connected();
  const [hello] = platform.frames;
  assert.ok(hello?.case === "hello");
  const { protocolVersion, os, region, tools } = hello.value;
  assert.deepEqual(
    [protocolVersion, os, region],
    [1, process.platform === "darwin" ? "macos" : "linux", "berlin"],
  );
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["shell__run_command", "files__read", "files__write", "files__list"],
  );
  assert.equal(platform.headers.authorization, "Bearer svc_cmp_test");
  assert.equal(platform.headers.origin, undefined);
  assert.equal(platform.headers["sec-websocket-extensions"], undefined);
  assert.deepEqual(
    await platform.run("a", 'pwd; echo "$Y$MUSTER_X$MUSTER_COMPUTER_TOKEN"; echo bad >&2; exit 3'),
    {
      result: { exitCode: 3, stdout: `${computer.dir}\n2\n`, stderr: "bad\n" },
    },
  );
  platform.call("b", "shell__run_command", { command: "echo up; sleep 1000" });
  await until("the command runs", () => outputOf(platform.frames, "b") === "up\n");
  computer.child.kill("SIGTERM");
  assert.deepEqual(await platform.outcome("b"), { aborted: true });
  assert.equal(await computer.ended, 0);
  assert.match(
    computer.printed(),
    /Connected to http:.* as My machine \(cmp_1\)\.\n.*Lou: run in .*:\n {2}\| pwd; echo/,
  );
});

test("a second process with the same state folder ends with exit code 1, and a killed one leaves no MCP server", async (t) => {
  const platform = await startPlatform(t);
  const home = await realpath(await temporaryDirectory(t));
  const server = join(import.meta.dirname, "support/mcp-server.mjs");
  const servers = { test: { command: process.execPath, args: [server] } };
  await writeFile(join(home, "mcp.json"), JSON.stringify({ mcpServers: servers }));
  const first = await startComputer(t, platform, { home, args: ["--mcp", join(home, "mcp.json")] });
  await platform.connected();
  const second = await startComputer(t, platform, { home });
  assert.equal(await second.ended, 1);
  assert.match(
    second.printed(),
    new RegExp(`^Error: Process ${first.child.pid} already uses the state folder`),
  );
  const pids = (await readFile(join(first.dir, "pids"), "utf8")).split(" ").map(Number);
  assert.ok(pids.every((pid) => processStartOf(pid) !== undefined));
  await first.kill();
  await until("its MCP server is gone", () => pids.every((pid) => processStartOf(pid) === undefined));
});

test("a computer in a folder that another one has used does not report the connections of that one", async (t) => {
  const platform = await startPlatform(t);
  const first = await connect(t, { platform });
  await platform.connected();
  first.stop();
  await first.ended;
  platform.computerId = "cmp_2";
  const second = await connect(t, { platform, home: first.home });
  await until("the other computer is connected", () => second.lines.some((line) => line.includes("(cmp_2)")));
  const reported = platform.frames.flatMap((frame) => (frame.case === "hello" ? [frame.value.epoch] : []));
  assert.deepEqual(reported, [0n, 1n, 0n]);
});

test("a second signal ends the command at once, and what it runs with it", async (t) => {
  const platform = await startPlatform(t);
  const { child, dir, ended } = await startComputer(t, platform);
  await platform.connected();
  platform.call("a", "shell__run_command", { command: "trap '' TERM; echo $$ > pid; sleep 1000" });
  const pid = async () => Number(await readFile(join(dir, "pid"), "utf8").catch(() => "0"));
  await until("it runs", async () => (await pid()) > 0);
  // Both arrive together when the process continues.
  for (const signal of ["SIGSTOP", "SIGINT", "SIGTERM", "SIGCONT"] as const) child.kill(signal);
  assert.equal(await ended, 130);
  const running = await pid();
  await until("nothing is left", () => processStartOf(running) === undefined);
});
