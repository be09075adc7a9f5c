import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock, Secret } from "@muster/service";
import { describe, type TestContext, test } from "vitest";
import { readFileUrl } from "./file-urls.ts";
import { createFiles } from "./files.ts";
import { type KeepOptions, keepFiles, type MadeFile } from "./keep-files.ts";
import { withReaderUrls } from "./stored-urls.ts";

const owner = { projectId: "default", ownerId: "ses_1" };
const file = (name: string, text: string): MadeFile => ({
  ...{ name, mediaType: "text/plain", content: Buffer.from(text) },
});

async function open(t: TestContext, changed: Partial<KeepOptions> = {}) {
  const directory = await mkdtemp(join(tmpdir(), "muster-kept-"));
  t.onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const clock = new ManualClock();
  const files = createFiles({ directory, keys: [new Secret("ab".repeat(32))], keepDays: 1 }, clock);
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  const options = { files, rules: { maxBytes: 10 }, owner, origin: "exe_1 call_1", onFailure, ...changed };
  const stored = () => readdir(join(directory, "default", "ses_1"));
  return { directory, clock, files, options, failures, stored };
}

describe("files that a tool has made", () => {
  test("are the same files if they are kept again, and others if their content or their call is another", async (t) => {
    const { options, stored } = await open(t);
    const made = [file("a.txt", "same"), file("b.txt", "same")];
    const [first, again] = [await keepFiles(options, made), await keepFiles(options, made)];
    const ids = first.files.map(({ id }) => id);
    assert.deepEqual(
      again.files.map(({ id }) => id),
      ids,
    );
    assert.equal(new Set(ids).size, 2);
    assert.equal((await stored()).length, 4);
    await keepFiles(options, [file("a.txt", "other")]);
    await keepFiles({ ...options, origin: "exe_1 call_2" }, made);
    assert.equal((await stored()).length, 10);
  });

  test("that cannot be kept cost a sentence each, and the others are kept", async (t) => {
    const { options, failures, stored } = await open(t);
    const many = Array.from({ length: 21 }, (_, index) => file(`${index}.txt`, "x"));
    const { files, problems } = await keepFiles(options, [
      ...[file("large.txt", "12345678901"), file("empty.txt", "")],
      ...many,
    ]);
    assert.equal(files.length, 18);
    assert.deepEqual(problems, [
      "The file large.txt was not kept: it has 11 bytes, and the limit is 10.",
      "The file empty.txt was not kept: it is empty.",
      "Only the first 20 files of a result are kept.",
    ]);
    assert.equal((await stored()).length, 36);
    const bad = { ...options, owner: { ...owner, ownerId: "../x" } };
    assert.deepEqual((await keepFiles(bad, [file("a.txt", "x")])).problems, [
      "The file a.txt could not be stored.",
    ]);
    assert.equal(failures.length, 1);
    const none = await keepFiles({ ...options, files: undefined }, [file("a.txt", "x")]);
    assert.match(none.problems.join(), /stores no files/);
  });

  test("have URLs that only readers of their project can use, the same ones for an hour", async (t) => {
    const { clock, files, options } = await open(t);
    const { addresses } = files;
    const [kept] = (await keepFiles(options, [file("a.txt", "x")])).files;
    assert.ok(kept);
    const json = JSON.stringify([kept, "https://files.muster.invalid/api/files/file_1?signature=x.y"]);
    const shownTo = (projectId: string) =>
      withReaderUrls(json, addresses, { projectId, baseUrl: "https://muster.example/base" });
    assert.equal(addresses.readDownload(readFileUrl(kept.url)?.signature ?? ""), undefined);
    assert.equal(shownTo("other"), json);
    const shown = shownTo("default");
    const [{ url }, forged]: [{ url: string }, string] = JSON.parse(shown);
    assert.ok(url.startsWith(`https://muster.example/base/api/files/${kept.id}?`), url);
    assert.deepEqual(addresses.readDownload(readFileUrl(url)?.signature ?? ""), { ...owner, id: kept.id });
    assert.match(forged, /invalid/);
    clock.advance(1_000);
    assert.equal(shownTo("default"), shown);
  });
});
