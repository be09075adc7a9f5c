import assert from "node:assert/strict";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@muster/testing";
import { test } from "vitest";
import { openStore } from "../open-store.ts";
import { makeDirectory } from "./make-directory.ts";

test("missing parents are created for their owner only, and the topmost one is returned", async (t) => {
  const parent = await temporaryDirectory(t);
  const [a, b] = [join(parent, "a"), join(parent, "a", "b")];
  assert.equal(makeDirectory(b), a);
  for (const path of [a, b]) assert.equal(statSync(path).mode & 0o777, 0o700);
  assert.equal(makeDirectory(b), undefined);
});

test("a file among the parents is an error", async (t) => {
  const file = join(await temporaryDirectory(t), "file");
  writeFileSync(file, "");
  assert.throws(() => makeDirectory(join(file, "a")), { code: "ENOTDIR" });
});

test.runIf(existsSync("/proc/self"))("a store below /proc is refused at once", () => {
  assert.throws(() => openStore("/proc/muster/store", Date.now, "DATA_DIR"), {
    message:
      "the store cannot use /proc/muster/store (set by DATA_DIR): it cannot be created there; choose another folder",
  });
});
