import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { test } from "vitest";
import { makeFolder } from "../../test/support/folders.ts";
import { muster } from "../../test/support/muster.ts";

const execute = promisify(execFile);

test("the bash completion script completes commands and options, and nothing else", async (t) => {
  const folder = await makeFolder(t);
  const { code, out } = await muster(["completion", "bash"]);
  assert.equal(code, 0);
  await writeFile(join(folder, "completion"), out);
  const complete = async (...words: string[]) => {
    const list = words.map((word) => `'${word}'`).join(" ");
    const line = `source ./completion; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _muster; echo "\${COMPREPLY[*]}"`;
    const { stdout } = await execute("bash", ["--norc", "-c", line], { cwd: folder });
    return stdout.trim();
  };
  assert.equal(await complete("muster", "agents", "pu"), "push pull");
  assert.equal(await complete("muster", "ch"), "chat");
  assert.equal(await complete("muster", "agents", "push", "some/folder", "--d"), "--dry-run");
  assert.equal(await complete("muster", "keys", "create", "--name", "x", "--pe"), "--permission");
  assert.equal(await complete("muster", "agents", "push", "ex"), "");
});

test("the completion script of each shell contains every command, and an unknown shell is rejected", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { out } = await muster(["completion", shell]);
    for (const word of ["agents", "validate", "dry-run", "sessions", "doctor", "trigger-input"])
      assert.ok(out.includes(word), `${shell}: ${word}`);
  }
  assert.equal((await muster(["completion", "tcsh"])).code, 2);
});
