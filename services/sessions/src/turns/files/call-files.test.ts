import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addFile, type PromptFile } from "@muster/engine";
import { createGuardedFetch } from "@muster/guarded-fetch";
import { Secret, systemClock } from "@muster/service";
import { createFiles, defaultFileRules, pathOfFile } from "@muster/storage/files";
import { createImageScaler } from "@muster/storage/images";
import { test } from "vitest";
import { CallFiles } from "./call-files.ts";
import { FileBudget } from "./file-budget.ts";

test("a call takes room for all copies of its files until it is freed", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "muster-call-files-"));
  t.onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const settings = { directory, keys: [new Secret("ab".repeat(32))], keepDays: 0 };
  const stored = createFiles(settings, systemClock);
  const record = {
    projectId: "p",
    ownerId: "ses_1",
    id: "file_1",
    filename: "a.txt",
    mediaType: "text/plain",
  };
  const content = Buffer.alloc(3_000, "x");
  await stored.storage.put({ ...record, size: content.length }, piecesOf(content));
  const signature = stored.addresses.signDownload(record);
  const url = `https://muster.test${pathOfFile({ id: record.id, signature })}`;
  const budget = new FileBudget({ maxBytes: 1_000_000, maxWaitMs: 60_000 });
  const files = new CallFiles(
    {
      sources: { files: stored, fetchFile: createGuardedFetch(), rules: defaultFileRules },
      budget,
      images: createImageScaler(),
    },
    { projectId: "p", ownerIds: ["ses_1"] },
  );
  const named: PromptFile[] = [];
  const part = addFile(named, { id: record.id, mediaType: "text/plain", url, isRequired: true });
  const call = {
    modelId: "demo/echo",
    files: named,
    options: { prompt: [{ role: "user" as const, content: [part] }] },
  };
  const support = { images: [], pdf: "none" as const, inResults: { images: false, pdf: false } };
  const target = { support, provider: { name: "demo" } };
  const delivered = await files.deliver(call, target, new AbortController().signal);
  assert.equal(budget.usedBytes, 18_000);
  delivered.free();
  await new Promise(setImmediate);
  assert.equal(budget.usedBytes, 0);
});

async function* piecesOf(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content;
}
