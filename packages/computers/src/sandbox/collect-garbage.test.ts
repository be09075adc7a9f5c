import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "vitest";
import { never, openComputers, owner } from "../../test/support/open-computers.ts";

const write = (id: string, path: string, content: string, epoch: number) => ({
  id,
  name: "files__write",
  args: { path, content },
  epoch,
});

describe("contents on disk", () => {
  test("that have no references left are deleted by the next holder, and no others", async (t) => {
    const { another, directory } = await openComputers(t);
    const folder = join(directory, "blobs", "computers", "agt_1");
    const first = await another().open(owner, 1);
    await first.execute(write("call_1", "f", "old", 1), () => {}, never);
    await first.execute(write("call_2", "kept", "in a snapshot", 1), () => {}, never);
    const snapshot = await first.snapshot();
    await first.execute(write("call_3", "f", "newer", 1), () => {}, never);
    await first.execute(write("call_4", "f", "newest", 1), () => {}, never);
    await first.execute(write("call_5", "kept", "changed", 1), () => {}, never);
    await writeFile(join(folder, "writing-1-x"), "cut off");
    const before = await readdir(folder);

    const second = await another().open(owner, 2);
    await second.execute(write("call_6", "g", "x", 2), () => {}, never);
    const after = await readdir(folder);
    assert.ok(after.length < before.length, `${before.length} before, ${after.length} after`);
    assert.ok(!after.includes("writing-1-x"));
    // "newest", "changed" and "x" with their manifest, "old" and "in a snapshot" with theirs, and the manifest before the last call.
    assert.equal(after.length, 8);
    assert.equal(Buffer.from(await second.readFile("f", never)).toString(), "newest");
    await second.restore(snapshot);
    assert.equal(Buffer.from(await second.readFile("f", never)).toString(), "old");
    assert.equal(Buffer.from(await second.readFile("kept", never)).toString(), "in a snapshot");
  });

  test("of a newer holder survive one who was paused and continues", async (t) => {
    const { another } = await openComputers(t);
    let release = () => {};
    const paused = new Promise<void>((resolve) => {
      release = resolve;
    });
    let deleting = false;
    const first = await another().open(owner, 1);
    await first.execute(write("call_1", "f", "content", 1), () => {}, never);
    await first.execute(write("call_2", "f", "other", 1), () => {}, never);
    // Epoch 2 is about to delete "content", and sleeps.
    const steps = {
      async before(step: string) {
        if (step !== "delete") return;
        deleting = true;
        await paused;
      },
    };
    const second = await another({ steps }).open(owner, 2);
    const late = second
      .execute(write("call_3", "g", "late", 2), () => {}, never)
      .catch((error) => error.name);
    while (!deleting) await new Promise((resolve) => setTimeout(resolve, 1));
    const third = await another().open(owner, 3);
    await third.execute(write("call_4", "f", "content", 3), () => {}, never);
    release();
    assert.equal(await late, "StaleEpochError");
    assert.equal(Buffer.from(await third.readFile("f", never)).toString(), "content");
  });

  test("that are damaged are noticed: the model is told, and nothing wrong is read", async (t) => {
    const { another, directory } = await openComputers(t);
    const computer = await another().open(owner, 1);
    await computer.execute(write("call_1", "f", "content", 1), () => {}, never);
    const folder = join(directory, "blobs", "computers", "agt_1");
    for (const name of await readdir(folder)) await writeFile(join(folder, name), "damaged");
    const read = { id: "call_2", name: "files__read", args: { path: "f" }, epoch: 1 };
    const outcome = await computer.execute(read, () => {}, never);
    assert.ok("error" in outcome && outcome.error.includes("damaged"), JSON.stringify(outcome));
    await assert.rejects(computer.readFile("f", never), { name: "BlobError" });
  });
});
