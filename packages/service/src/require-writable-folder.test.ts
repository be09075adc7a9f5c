import assert from "node:assert/strict";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@muster/testing";
import { test } from "vitest";
import { ConfigError } from "./env.ts";
import { requireWritableFolder } from "./require-writable-folder.ts";

test("a folder that does not exist is made, and one that can be written stays unchanged", async (t) => {
  const path = join(await temporaryDirectory(t), "a", "b");
  await requireWritableFolder("DATA_DIR", path);
  assert.ok(existsSync(path));
  await requireWritableFolder("DATA_DIR", path);
});

test("a folder that cannot be written is refused in a sentence with the setting, the path and the reason", async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, "file");
  writeFileSync(file, "");
  const closed = join(directory, "closed");
  await requireWritableFolder("DATA_DIR", closed);
  chmodSync(closed, 0o500);
  const wrong: Array<[path: string, reason: RegExp]> = [
    [file, /it is not a folder/],
    [join(file, "deeper"), /a part of the path is not a folder/],
    ["/dev/null/data", /a part of the path is not a folder/],
    // Root may write everywhere.
    ...(process.getuid?.() === 0 ? [] : [[closed, /may not write there/] as [string, RegExp]]),
  ];
  for (const [path, reason] of wrong) {
    await assert.rejects(requireWritableFolder("DATA_DIR", path), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, new RegExp(`^DATA_DIR ${path} cannot be used: `));
      assert.match(error.message, reason);
      return true;
    });
  }
});
