import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { UpdateFilter } from "mongodb";
import { Figures, quantile } from "./src/testing/figures.ts";
import { StoreProcess } from "./src/testing/store-process.ts";

/*
 * What other clients notice of long commands: point reads and writes, one at a time, while a scan, an index build,
 * a deleteMany and 12 sorts run on a collection of N documents (first argument, default 500,000), and while the data
 * are checked after a kill (second argument: gigabytes, default 1). Then the costs of a $push to a large indexed array
 * and of a findOneAndUpdate of a large document. Prints each figure with its target, and fails if one is missed. The
 * third argument is the directory of this package in another checkout, to compare. About four minutes on an idle
 * machine; needs Linux.
 */

interface Large {
  _id: number;
  group: number;
  order: number;
  text: string;
}

interface LargeDocument {
  _id: number;
  n: number;
  text: string;
}

const documents = Number(process.argv[2] ?? 500_000);
const gigabytes = Number(process.argv[3] ?? 1);
const checkout = resolve(process.argv[4] ?? import.meta.dirname);
const maxReadMs = 50;
const maxMemoryMib = 512;
const figures = new Figures();
const directory = await mkdtemp(join(tmpdir(), "embedded-store-others-"));
let store = await StoreProcess.start(checkout, directory);

const collection = <Item extends { _id: number }>(name: string) =>
  store.client.db("bench").collection<Item>(name);

try {
  await collection<{ _id: number; n: number }>("small").insertMany(
    Array.from({ length: 1000 }, (_, _id) => ({ _id, n: 0 })),
  );
  await measurePush();
  await measureLargeDocument();
  await measureLongCommands();
  await measureCheck();
} finally {
  await store.end("SIGTERM");
  await rm(directory, { recursive: true });
}
figures.end();

async function measureLongCommands(): Promise<void> {
  const large = collection<Large>("large");
  await fill("large", documents, (_id) => ({
    _id,
    group: _id % 10,
    order: Math.floor(Math.random() * 1e9),
    text: "x".repeat(200),
  }));
  await watch("nothing else", () => new Promise((done) => setTimeout(done, 2000)));
  await watch("a scan", () => large.countDocuments({ missing: 1 }));
  await watch("an index build", () => large.createIndex({ order: 1, text: 1 }));
  await watch("12 sorts", sortTwelveTimes);
  await watch("an updateMany", () => large.updateMany({ group: { $lt: 5 } }, { $inc: { order: 1 } }));
  await watch(`a deleteMany of ${documents.toLocaleString("en")}`, () => large.deleteMany({}));
}

async function fill(name: string, count: number, create: (id: number) => { _id: number }): Promise<void> {
  const batch = 2000;
  for (let i = 0; i < count; i += batch) {
    const length = Math.min(batch, count - i);
    await collection(name).insertMany(Array.from({ length }, (_, j) => create(i + j)));
  }
}

/** Some sorts are refused because of their memory. */
async function sortTwelveTimes(): Promise<void> {
  const sortAll = async () => {
    const sorted = collection<Large>("large").find({}, { batchSize: 1000 }).sort({ group: 1, order: 1 });
    for await (const _ of sorted);
  };
  const results = await Promise.allSettled(Array.from({ length: 12 }, sortAll));
  console.log(`${results.filter(({ status }) => status === "rejected").length} of 12 sorts refused`);
}

/** Measures others' point reads and writes, and the store's memory, while `work` runs. */
async function watch(title: string, work: () => Promise<unknown>): Promise<void> {
  const small = collection<{ _id: number; n: number }>("small");
  let isDone = false;
  const reads: number[] = [];
  const writes: number[] = [];
  let peakMib = 0;
  const cpuBefore = await store.cpuSeconds();
  const started = performance.now();
  const probe = async () => {
    while (!isDone) {
      const start = performance.now();
      await small.findOne({ _id: Math.floor(Math.random() * 1000) });
      const read = performance.now();
      await small.updateOne({ _id: Math.floor(Math.random() * 1000) }, { $inc: { n: 1 } });
      reads.push(read - start);
      writes.push(performance.now() - read);
      peakMib = Math.max(peakMib, await store.residentMib());
      await new Promise((done) => setTimeout(done, 2));
    }
  };
  const worked = work().finally(() => {
    isDone = true;
  });
  await Promise.all([worked, probe()]);
  const seconds = (performance.now() - started) / 1000;
  const cpu = (await store.cpuSeconds()) - cpuBefore;
  console.log(
    `${title}: ${seconds.toFixed(1)} s (CPU ${cpu.toFixed(1)} s); ${reads.length} reads: median ${quantile(reads, 0.5).toFixed(1)} ms, max ${quantile(reads, 1).toFixed(1)} ms; writes: p99 ${quantile(writes, 0.99).toFixed(1)} ms`,
  );
  figures.below(`${title}: p99 of others' reads`, quantile(reads, 0.99), maxReadMs, "ms");
  figures.below(`${title}: memory`, peakMib, maxMemoryMib, "MiB");
}

async function measurePush(): Promise<void> {
  const items = collection<{ _id: number; tags: string[] }>("arrays");
  await items.createIndex({ tags: 1 });
  await items.insertOne({ _id: 1, tags: Array.from({ length: 5000 }, (_, i) => `tag-${i}`) });
  const times: number[] = [];
  for (let i = 0; i < 200; i++) {
    const start = performance.now();
    await items.updateOne({ _id: 1 }, { $push: { tags: `new-${i}` } });
    times.push(performance.now() - start);
  }
  figures.below("$push to an indexed array of 5,000: median", quantile(times, 0.5), 20, "ms");
  figures.below("$push to an indexed array of 5,000: p99", quantile(times, 0.99), 20, "ms");
}

/**
 * What SQLite's log grows by is what a write costs. A start empties the log, and it is copied into the data file only
 * after 8 MB. SQLite writes only the pages that differ, so the second change is the most expensive one.
 */
async function measureLargeDocument(): Promise<void> {
  const bytes = 1e6;
  await collection<LargeDocument>("documents").insertOne({ _id: 1, n: 0, text: "x".repeat(bytes) });
  const changes: [title: string, change: (i: number) => UpdateFilter<LargeDocument>][] = [
    ["of one field", () => ({ $inc: { n: 1 } })],
    ["of all of its text", (i) => ({ $set: { text: String(i).repeat(bytes) } })],
  ];
  for (const [title, change] of changes) {
    await restart("SIGTERM");
    const apply = (i: number) =>
      collection<LargeDocument>("documents").findOneAndUpdate({ _id: 1 }, change(i), {
        returnDocument: "after",
      });
    await apply(0);
    const before = store.logBytes;
    const updates = 4;
    for (let i = 1; i <= updates; i++) await apply(i);
    const megabytes = (store.logBytes - before) / updates / 1e6;
    figures.below(`findOneAndUpdate ${title}, of a document of 1 MB: written`, megabytes, 1.1, "MB");
  }
}

async function restart(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  await store.end(signal);
  store = await StoreProcess.start(checkout, directory);
}

async function measureCheck(): Promise<void> {
  const bytes = 4000;
  await fill("checked", Math.ceil((gigabytes * 1e9) / bytes), (_id) => ({ _id, text: "x".repeat(bytes) }));
  const started = performance.now();
  await restart("SIGKILL");
  await collection("small").findOne({ _id: 1 });
  const ms = performance.now() - started;
  console.log(
    `first reply after a kill: ${ms.toFixed(0)} ms, with ${(store.dataBytes / 1e9).toFixed(2)} GB of data`,
  );
  await watch("the check after a kill", async () => {
    if (!store.isUnchecked) throw new Error("the data are not checked");
    while (store.isUnchecked) await new Promise((done) => setTimeout(done, 10));
  });
}
