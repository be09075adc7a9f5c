/** One model call with files in a process of its own. Sends what the process has held for them to its parent. */
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createFiles, defaultFileRules, pathOfFile } from "@muster/files";
import { createGuardedFetch } from "@muster/guarded-fetch";
import { createImageScaler } from "@muster/images";
import { createModels, fileSupportOf, readModelsConfig, streamModel } from "@muster/models";
import { scriptedTargets } from "@muster/models/testing";
import { Secret, systemClock } from "@muster/service";
import { CallFiles } from "../../services/sessions/src/driver/files/call-files.ts";
import { FileBudget } from "../../services/sessions/src/driver/files/file-budget.ts";
import { addFile, type PromptFile } from "../../services/sessions/src/engine/prompt/files.ts";

const [modelId = "", message = ""] = process.argv.slice(2);
const count = 4;
const sizeBytes = 10_000_000;

const target = scriptedTargets.find((each) => each.modelId === modelId);
assert.ok(target && globalThis.gc);
const collect = globalThis.gc;
const directory = await mkdtemp(join(tmpdir(), "muster-bench-files-"));
const files = createFiles({ directory, keys: [new Secret("ab".repeat(32))], keepDays: 0 }, systemClock);
const provider = fork(join(import.meta.dirname, "provider.ts"));
const [address] = await once(provider, "message");
const models = createModels(readModelsConfig(target.environment(`${address}/v1`)));
const resolved = await models.resolve(modelId);
assert.ok(resolved.ok);

const named: PromptFile[] = [];
const content = [
  { type: "text" as const, text: message },
  ...(await Promise.all(Array.from({ length: count }, store))),
];
const call = { modelId, files: named, options: { prompt: [{ role: "user" as const, content }] } };
const budget = new FileBudget({ maxBytes: 1e9, maxWaitMs: 60_000 });
const images = createImageScaler();
const delivery = {
  sources: { files, fetchFile: createGuardedFetch(), rules: defaultFileRules },
  budget,
  images,
};
const callFiles = new CallFiles(delivery, { projectId: "p", ownerIds: ["ses_1"] });

collect();
await sleep(200);
// Linux then measures the most memory of the process from here on.
writeFileSync("/proc/self/clear_refs", "5");
const [heldBefore, peakBefore] = [heldBytes(), statusBytes("VmRSS")];
const { options } = (
  await callFiles.deliver(
    call,
    { support: fileSupportOf(resolved.model), provider: { name: "bench" } },
    AbortSignal.timeout(60_000),
  )
).call;
const stream = (async () => {
  for await (const _part of streamModel(resolved.model, options));
})().catch(() => undefined);
await once(provider, "message");
const peak = statusBytes("VmHWM") - peakBefore;
collect();
await sleep(200);
collect();
const held = heldBytes() - heldBefore;
provider.send("refuse");
await stream;
provider.kill();
await rm(directory, { recursive: true });
const total = count * sizeBytes;
process.send?.({ held: held / total, peak: peak / total }, () => process.exit());

async function store(_: unknown, index: number) {
  const record = { projectId: "p", ownerId: "ses_1", id: `file_${index}`, filename: `${index}.pdf` };
  const bytes = Buffer.alloc(sizeBytes, "%PDF-1.4 ");
  await files.storage.put({ ...record, mediaType: "application/pdf", size: sizeBytes }, pieces(bytes));
  const url = `https://muster.test${pathOfFile({ id: record.id, signature: files.addresses.signDownload(record) })}`;
  return addFile(named, { id: record.id, mediaType: "application/pdf", url, isRequired: true });
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Without garbage. */
function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function statusBytes(field: "VmRSS" | "VmHWM"): number {
  const [, kib] =
    new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kib) * 1024;
}
