import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { test } from "vitest";
import { helper, makeFolder } from "../test/support/folders.ts";
import { buildPackage } from "./build-package.ts";

const execute = promisify(execFile);
const root = resolve(import.meta.dirname, "../../..");

test("the published package runs in a project that has only its declared dependencies", async (t) => {
  const project = await makeFolder(t, helper);
  const target = join(project, "node_modules/@muster/cli");
  const manifest = await buildPackage(target);
  assert.equal(manifest.name, "@muster/cli");
  assert.ok(!("private" in manifest));
  for (const name of Object.keys(manifest.dependencies)) {
    assert.ok(!name.startsWith("@muster/"), name);
    await mkdir(dirname(join(project, "node_modules", name)), { recursive: true });
    await symlink(join(root, "node_modules", name), join(project, "node_modules", name));
  }
  const bin = join(target, manifest.bin.muster ?? "");
  const muster = (...args: string[]) => execute(process.execPath, [bin, ...args], { cwd: project });
  assert.equal((await muster("agents", "validate")).stdout, ".: no problems\n");
  assert.equal((await muster("--version")).stdout, `${manifest.version}\n`);
  await assert.rejects(muster("serve", "all"), {
    ...{ code: 1, stdout: "" },
    stderr:
      "Error: The server is not installed beside this command: run muster serve in the Muster repository or in its container image. (NO_SERVER)\n",
  });
  // Only this name is the project's: npx would download another package as `muster`.
  const exec = { ...process.env, npm_command: "exec", npm_lifecycle_event: "npx" };
  await assert.rejects(execute(process.execPath, [bin, "nonsense"], { cwd: project, env: exec }), {
    stderr: /Run "npx @muster\/cli --help" for usage\.\n$/,
  });
  const { stdout } = await execute("npm", ["pack", "--dry-run", "--json", target], { cwd: project });
  const [{ name, filename, files }] = JSON.parse(stdout);
  assert.deepEqual([name, filename], ["@muster/cli", `muster-cli-${manifest.version}.tgz`]);
  const packed = files.map(({ path }: { path: string }) => path);
  for (const file of ["LICENSE", "README.md", "bin/muster.mjs", "bin/start.mjs"])
    assert.ok(packed.includes(file), `${file}: ${packed}`);
});
