import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "vitest";
import { silentLogger } from "./log.ts";
import { createFolderWatch, createStorageWatch } from "./storage-watch.ts";

const diskFull = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });

describe("the watch of a disk", () => {
  test("a disk is full from a write that failed so until a small one succeeds, which callers share", async () => {
    let probes = 0;
    let hasSpace = false;
    const watch = createStorageWatch({
      name: "the test",
      log: silentLogger,
      meansFull: (error) => error === diskFull,
      probe: async () => {
        probes++;
        if (!hasSpace) throw diskFull;
      },
    });
    assert.equal(watch.failed(new Error("another failure")), false);
    assert.equal(await watch.isFull(), false);
    assert.equal(probes, 0, "an unknown disk is not asked");
    assert.equal(watch.failed(diskFull), true);
    assert.deepEqual(await Promise.all([watch.isFull(), watch.isFull()]), [true, true]);
    assert.equal(probes, 1);
    hasSpace = true;
    assert.equal(await watch.isFull(), false);
    assert.equal(await watch.isFull(), false);
    assert.equal(probes, 2);
  });

  test("a folder counts as full after ENOSPC and EDQUOT, and its probe leaves nothing behind", async (t) => {
    const directory = await mkdtemp(join(tmpdir(), "storage-watch-"));
    t.onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const watch = createFolderWatch("the test", directory, silentLogger);
    assert.equal(watch.failed(Object.assign(new Error(), { code: "EACCES" })), false);
    for (const code of ["ENOSPC", "EDQUOT"]) {
      assert.equal(watch.failed(Object.assign(new Error(), { code })), true);
      assert.equal(await watch.isFull(), false, "it has space again");
    }
    assert.deepEqual(await readdir(directory), []);
    await rm(directory, { recursive: true });
    await writeFile(directory, "");
    assert.equal(watch.failed(diskFull), true);
    assert.equal(await watch.isFull(), true, "a disk that cannot be asked stays full");
    await rm(directory);
    assert.equal(await watch.isFull(), false, "the folder is made when the disk has space");
  });
});
