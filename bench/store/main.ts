/** Measures operations of the embedded store, alone and beside long commands; see `bench/README.md`. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { UpdateFilter } from "mongodb";
import { format, median, percentile, print, printAtMost } from "../support/figures.ts";
import { StoreProcess } from "./store-process.ts";

interface Item {
  _id: number;
  n: number;
  text: string;
}

const { values } = parseArgs({
  options: {
    /** Documents of the collection that long commands run on. */
    documents: { type: "string", default: "500000" },
    /** Data that are checked after a kill. */
    gigabytes: { type: "string", default: "1" },
    /** Another checkout. Its point operations take turns with those of this one. */
    checkout: { type: "string" },
  },
});
const documents = Number(values.documents);
const here = resolve(import.meta.dirname, "../..");
const rounds = 6;
const secondsPerRound = 0.5;
const points = 1_000;
const directory = await mkdtemp(join(tmpdir(), "muster-store-"));
let store = await StoreProcess.start(here, join(directory, "here"));
const items = (name: string) => store.items<Item>(name);

try {
  await fill("points", points, 400);
  await measurePoints();
  await measureLargeDocument();
  await measureLongCommands();
  await measureCheck();
} finally {
  await store.end("SIGTERM");
  await rm(directory, { recursive: true });
}

async function fill(name: string, count: number, textLength: number): Promise<void> {
  const text = "x".repeat(textLength);
  const batch = 2_000;
  for (let from = 0; from < count; from += batch) {
    const length = Math.min(batch, count - from);
    const many = Array.from({ length }, (_, index) => ({ _id: from + index, n: Math.random() * 1e9, text }));
    await items(name).insertMany(many);
  }
}

/** Operations per second. Every write is on disk before it is acknowledged. */
async function measurePoints(): Promise<void> {
  const other =
    values.checkout && (await StoreProcess.start(resolve(values.checkout), join(directory, "other")));
  const stores = other ? [store, other] : [store];
  if (other) await other.items<Item>("points").insertMany(await items("points").find().toArray());
  let inserted = points;
  const operations: Record<string, (of: StoreProcess) => Promise<unknown>> = {
    "findOne by _id": (of) => of.items<Item>("points").findOne({ _id: randomPoint() }),
    "findOneAndUpdate, conditional": (of) =>
      of.items<Item>("points").findOneAndUpdate({ _id: randomPoint(), n: { $gte: 0 } }, { $inc: { n: 1 } }),
    insertOne: (of) => of.items<Item>("points").insertOne({ _id: inserted++, n: 0, text: "x".repeat(400) }),
  };
  for (const [name, operate] of Object.entries(operations)) {
    for (const callers of [1, 32]) {
      const rates = stores.map(() => [] as number[]);
      // They take turns. The first round warms up.
      for (let round = 0; round <= rounds; round++)
        for (const [index, of] of stores.entries()) {
          const rate = await perSecond(callers, () => operate(of));
          if (round > 0) rates[index]?.push(rate);
        }
      const [ours = [], others] = rates;
      const compared = others && `the other checkout: ${format(median(others))}/s`;
      print({
        name: `${name}, ${callers} callers`,
        values: [`${format(median(ours))}/s`],
        note: compared ?? "",
      });
    }
  }
  if (other) await other.end("SIGTERM");
}

function randomPoint(): number {
  return Math.floor(Math.random() * points);
}

async function perSecond(callers: number, operate: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const startMs = performance.now();
  const endMs = startMs + secondsPerRound * 1_000;
  const caller = async () => {
    for (; performance.now() < endMs; count++) await operate();
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return count / ((performance.now() - startMs) / 1_000);
}

/**
 * The growth of SQLite's log is the cost of a write. A start empties the log, and it is copied into the data file only
 * after 8 MB. SQLite writes only the pages that differ, so the second change is the most expensive one.
 */
async function measureLargeDocument(): Promise<void> {
  const bytes = 1e6;
  await items("documents").insertOne({ _id: 1, n: 0, text: "x".repeat(bytes) });
  const changes: [title: string, change: (index: number) => UpdateFilter<Item>][] = [
    ["of one field", () => ({ $inc: { n: 1 } })],
    ["of all of its text", (index) => ({ $set: { text: String(index).repeat(bytes) } })],
  ];
  for (const [title, change] of changes) {
    await restart("SIGTERM");
    const apply = (index: number) => items("documents").findOneAndUpdate({ _id: 1 }, change(index));
    await apply(0);
    const before = store.logBytes;
    for (let index = 1; index <= 4; index++) await apply(index);
    const name = `findOneAndUpdate ${title} of 1 MB: written`;
    printAtMost(name, (store.logBytes - before) / 4 / 1e6, 1.1, "MB");
  }
}

async function measureLongCommands(): Promise<void> {
  const large = items("large");
  await fill("large", documents, 200);
  await watch("nothing else", () => sleep(2_000));
  await watch("a scan", () => large.countDocuments({ missing: 1 }));
  await watch("an index build", () => large.createIndex({ n: 1, text: 1 }));
  await watch("12 sorts", sortTwelveTimes);
  await watch("an updateMany", () => large.updateMany({ _id: { $lt: documents / 2 } }, { $inc: { n: 1 } }));
  await watch(`a deleteMany of ${documents.toLocaleString("en")}`, () => large.deleteMany({}));
}

/** Some sorts are refused because of their memory. */
async function sortTwelveTimes(): Promise<void> {
  const sortAll = async () => {
    for await (const _ of items("large").find({}, { batchSize: 1_000 }).sort({ n: -1, _id: 1 }));
  };
  await Promise.allSettled(Array.from({ length: 12 }, sortAll));
}

/** Other clients' point reads and writes, one at a time, and the store's memory, while `work` runs. */
async function watch(title: string, work: () => Promise<unknown>): Promise<void> {
  let isDone = false;
  const [readsMs, writesMs]: [number[], number[]] = [[], []];
  let peakMib = 0;
  const startMs = performance.now();
  const probe = async () => {
    while (!isDone) {
      const readMs = performance.now();
      await items("points").findOne({ _id: randomPoint() });
      const writeMs = performance.now();
      await items("points").updateOne({ _id: randomPoint() }, { $inc: { n: 1 } });
      readsMs.push(writeMs - readMs);
      writesMs.push(performance.now() - writeMs);
      peakMib = Math.max(peakMib, (await store.memoryBytes()) / 2 ** 20);
      await sleep(2);
    }
  };
  const worked = work().finally(() => {
    isDone = true;
  });
  await Promise.all([worked, probe()]);
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
  printAtMost(`${title} (${seconds} s): p99 of others' reads`, percentile(readsMs, 0.99), 50, "ms");
  printAtMost("  p99 of others' writes", percentile(writesMs, 0.99), undefined, "ms");
  printAtMost("  memory", peakMib, 512, "MiB");
}

async function measureCheck(): Promise<void> {
  const bytes = 4_000;
  await fill("checked", Math.ceil((Number(values.gigabytes) * 1e9) / bytes), bytes);
  const startMs = performance.now();
  await restart("SIGKILL");
  await items("points").findOne({ _id: 1 });
  const gigabytes = (store.dataBytes / 1e9).toFixed(2);
  print({
    name: `first reply after a kill, with ${gigabytes} GB`,
    values: [`${format(performance.now() - startMs)} ms`],
  });
  await watch("the check after a kill", async () => {
    if (!store.isUnchecked) throw new Error("The data are not checked");
    while (store.isUnchecked) await sleep(10);
  });
}

async function restart(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  await store.end(signal);
  store = await StoreProcess.start(here, join(directory, "here"));
}
