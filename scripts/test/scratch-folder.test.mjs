import assert from "node:assert/strict";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "@muster/testing";
import { test } from "vitest";
import { removeAbandoned } from "./scratch-folder.mjs";

test("only the folders of test runs that have ended are removed", async (t) => {
  const parent = await temporaryDirectory(t);
  const kept = [`muster-tests-${process.pid}-a`, "muster-tests-b", "other"];
  for (const name of [...kept, "muster-tests-999999999-c"])
    await mkdir(join(parent, name, "store"), { recursive: true });
  removeAbandoned(parent);
  assert.deepEqual((await readdir(parent)).sort(), kept);
});
