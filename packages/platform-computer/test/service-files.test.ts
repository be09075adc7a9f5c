import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryDirectory } from "@muster/testing";
import { test } from "vitest";

const page = await readFile(join(import.meta.dirname, "../README.md"), "utf8");
const block = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(page)?.[1] ?? "";

test("the service file for systemd in the README is accepted by systemd", async (t) => {
  const unit = block("ini");
  assert.match(unit, /^RestartPreventExitStatus=1$/m);
  if (spawnSync("systemd-analyze", ["--version"]).status !== 0) return;
  const file = join(await temporaryDirectory(t), "muster-computer.service");
  await writeFile(file, unit);
  const { stderr } = await promisify(execFile)("systemd-analyze", ["verify", "--user", "--man=no", file], {
    env: { ...process.env, XDG_RUNTIME_DIR: await temporaryDirectory(t) },
  });
  assert.ok(!stderr.includes("muster-computer.service"), stderr);
});

test("the service file for launchd in the README is a property list that starts the command", async () => {
  const script = "import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))";
  const { stdout } = spawnSync("python3", ["-c", script], { input: block("xml"), encoding: "utf8" });
  const list = JSON.parse(stdout);
  assert.deepEqual([list.RunAtLoad, list.KeepAlive], [true, { Crashed: true }]);
  assert.match(list.ProgramArguments[2], /exec .*muster-computer connect --dir/);
});
