import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { test } from "vitest";
import { programName } from "../bin/program-name.mjs";

const bin = resolve(import.meta.dirname, "../bin/muster.mjs");
const root = resolve(import.meta.dirname, "../../..");

test("hints begin with the command that the user typed, so that they can be pasted", (t) => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "muster-name-")));
  t.onTestFinished(() => rmSync(cwd, { recursive: true }));
  symlinkSync(bin, join(cwd, "muster"));
  const path = "/usr/bin:/bin";
  const ways = [
    [{ PATH: `${cwd}:${path}` }, "muster"],
    [{ PATH: path, npm_command: "exec", npm_lifecycle_event: "npx" }, "npx muster", join(root, "docs")],
    // There, npx would run a package of another project.
    [{ PATH: path, npm_command: "exec", npm_lifecycle_event: "npx" }, `node ${relative(cwd, bin)}`],
    [
      { PATH: path, npm_lifecycle_event: "muster", npm_command: "run-script" },
      `npm --prefix ${relative(cwd, root)} run -s muster --`,
    ],
    [{ PATH: path, npm_lifecycle_event: "muster" }, "npm run -s muster --", root],
    [{ PATH: path }, `node ${relative(cwd, bin)}`],
  ];
  for (const [env, name, folder = cwd] of ways) assert.equal(programName(env, folder), name);
});
