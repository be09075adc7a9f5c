import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { test } from "vitest";
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
