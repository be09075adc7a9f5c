import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryDirectory } from "@muster/testing";
import { test } from "vitest";
import { startPlatform } from "../test/support/platform.ts";
import { startComputer } from "../test/support/start-computer.ts";
import { startTunnelProxy } from "../test/support/tunnel-proxy.ts";
import { buildPackage } from "./build-package.ts";

const execute = promisify(execFile);

test("the packed package installs into an empty folder without a registry, and connects through a proxy on this Node and that of the system", async (t) => {
  const folder = await temporaryDirectory(t);
  const { name, version } = await buildPackage(join(folder, "dist"));
  const options = { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } };
  const { stdout } = await execute("npm", ["pack", "--json", join(folder, "dist")], options);
  const [{ filename, files }] = JSON.parse(stdout);
  assert.equal(filename, `muster-platform-computer-${version}.tgz`);
  assert.deepEqual(files.map(({ path }: { path: string }) => path).sort(), [
    "LICENSE",
    "README.md",
    "bin/muster-computer.mjs",
    "bin/start.mjs",
    "licences.txt",
    "package.json",
  ]);
  await mkdir(join(folder, "project"));
  const install = ["install", "--offline", "--no-audit", "--no-fund", join(folder, filename)];
  await execute("npm", install, { ...options, cwd: join(folder, "project") });
  const bin = join(folder, "project/node_modules", name, "bin/muster-computer.mjs");
  const platform = await startPlatform(t);
  const env = { HTTP_PROXY: (await startTunnelProxy(t)).host };
  const url = platform.url.replace("127.0.0.1", "muster.example");
  // The machine of a user may have an older Node than the tests.
  for (const [index, node] of [process.execPath, "/usr/bin/node"].filter(existsSync).entries()) {
    const { child, ended, dir } = await startComputer(t, { url }, { command: [node, bin], env });
    await platform.connected();
    assert.deepEqual(await platform.run(`call${index}`, "pwd"), {
      result: { exitCode: 0, stdout: `${dir}\n`, stderr: "" },
    });
    child.kill("SIGTERM");
    assert.equal(await ended, 0);
    platform.connections = 0;
  }
});
