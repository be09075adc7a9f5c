import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "vitest";
import { createDiskStorage } from "./disk-storage.ts";
import type { FileRecord } from "./storage.ts";
import { WrongSizeError } from "./storage.ts";

const record: FileRecord = {
  ...{ projectId: "default", ownerId: "ses_1", id: "file_1" },
  ...{ mediaType: "text/plain", size: 6, filename: "a.txt" },
};

async function openStorage(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), "muster-files-"));
  t.onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return { directory, storage: createDiskStorage(directory) };
}

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function textOf(file: Awaited<ReturnType<ReturnType<typeof createDiskStorage>["open"]>>) {
  assert.ok(file);
  const read: Uint8Array[] = [];
  for await (const piece of file.read()) read.push(piece);
  return Buffer.concat(read).toString();
}

describe("files on disk", () => {
  test("a stored file is read as sent, and a second file under its id changes nothing", async (t) => {
    const { directory, storage } = await openStorage(t);
    assert.equal(await storage.open(record), undefined);
    assert.equal(await storage.put(record, pieces("abc", "def")), true);
    assert.equal(await storage.put(record, pieces("xxxxxx")), false);
    const file = await storage.open(record);
    assert.deepEqual(file?.record, record);
    assert.equal(await textOf(file), "abcdef");
    assert.deepEqual(await readdir(join(directory, ".arriving")), []);
  });

  for (const [title, texts] of [
    ["a shorter body", ["abc"]],
    ["a longer body", ["abcdef", "g"]],
    ["an empty body", []],
  ] as const) {
    test(`${title} than announced is refused, leaves nothing, and can be sent again`, async (t) => {
      const { directory, storage } = await openStorage(t);
      await assert.rejects(storage.put(record, pieces(...texts)), WrongSizeError);
      assert.equal(await storage.open(record), undefined);
      assert.deepEqual(await readdir(join(directory, ".arriving")), []);
      assert.equal(await storage.put(record, pieces("abcdef")), true);
    });
  }

  test("a body that breaks off leaves nothing", async (t) => {
    const { storage } = await openStorage(t);
    const broken = async function* () {
      yield Buffer.from("abc");
      throw new Error("cut");
    };
    await assert.rejects(storage.put(record, broken()), /cut/);
    assert.equal(await storage.open(record), undefined);
  });

  test("of twenty uploads at once, exactly one stores its content", async (t) => {
    const { storage } = await openStorage(t);
    const texts = Array.from({ length: 20 }, (_, index) => `body${String(index).padStart(2, "0")}`);
    const stored = await Promise.all(texts.map((text) => storage.put(record, pieces(text))));
    assert.deepEqual(stored.filter(Boolean), [true]);
    assert.equal(await textOf(await storage.open(record)), texts[stored.indexOf(true)]);
  });

  test("removing an owner removes its files and no others, and can be repeated", async (t) => {
    const { storage } = await openStorage(t);
    const other = { ...record, ownerId: "ses_2" };
    await storage.put(record, pieces("abcdef"));
    await storage.put(other, pieces("abcdef"));
    await storage.removeOwner(record);
    await storage.removeOwner(record);
    assert.equal(await storage.open(record), undefined);
    assert.ok(await storage.open(other).then(textOf));
  });

  test("an owner is removed while its files arrive, and neither fails", async (t) => {
    const { storage } = await openStorage(t);
    let arrived = 0;
    const uploads = Array.from({ length: 4 }, async (_, uploader) => {
      for (let count = 0; count < 50; count++, arrived++) {
        await storage.put({ ...record, id: `file_${uploader}_${count}` }, pieces("abcdef"));
      }
    });
    const removals = (async () => {
      while (arrived < 200) {
        await storage.removeOwner(record);
        await new Promise(setImmediate);
      }
    })();
    await Promise.all([...uploads, removals]);
    await storage.removeOwner(record);
    assert.equal(await storage.open({ ...record, id: "file_0_49" }), undefined);
  });

  test("files from before a time are removed with the remains of broken uploads, and nothing else", async (t) => {
    const { directory, storage } = await openStorage(t);
    const fresh = { ...record, id: "file_2" };
    await storage.put(record, pieces("abcdef"));
    await storage.put(fresh, pieces("abcdef"));
    const owner = join(directory, "default", "ses_1");
    const drafts = [join(directory, ".arriving", randomUUID()), join(owner, `file_3.json.${randomUUID()}`)];
    const others = [join(directory, "notes"), join(owner, "notes")];
    for (const path of [...drafts, ...others]) await writeFile(path, "x");
    const old = [join(owner, "file_1"), join(owner, "file_1.json"), ...drafts, ...others];
    for (const path of old) await utimes(path, 1, 1);
    await storage.removeBefore(2_000_000);
    assert.equal(await storage.open(record), undefined);
    assert.equal(await textOf(await storage.open(fresh)), "abcdef");
    assert.deepEqual((await readdir(owner)).sort(), ["file_2", "file_2.json", "notes"]);
    assert.deepEqual((await readdir(directory)).sort(), [".arriving", "default", "notes"]);
    assert.deepEqual(await readdir(join(directory, ".arriving")), []);
    await createDiskStorage(join(directory, "none")).removeBefore(2_000_000);
  });

  test("a key that would leave the directory is refused", async (t) => {
    const { storage } = await openStorage(t);
    for (const bad of ["..", ".", "a/b", "", "a\0", ".arriving", "ä", "x".repeat(101)]) {
      for (const part of ["projectId", "ownerId", "id"]) {
        await assert.rejects(storage.open({ ...record, [part]: bad }), /cannot be a name/);
        await assert.rejects(storage.put({ ...record, [part]: bad }, pieces("abcdef")), /cannot be a name/);
      }
    }
    await assert.rejects(storage.removeOwner({ projectId: "..", ownerId: ".." }), /cannot be a name/);
  });
});
