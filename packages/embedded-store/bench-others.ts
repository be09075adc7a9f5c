import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { MongoClient } from "mongodb";

/*
 * What other clients notice of long commands: point reads and writes, one at a time, while a scan, an index build,
 * a deleteMany and 12 sorts run on a collection of N documents (first argument, default 500,000). Prints the slowest
 * of them, and the memory of the store's process at its highest. The second argument is the directory of this
 * package in another checkout, to compare.
 */

const documents = Number(process.argv[2] ?? 500_000);
const checkout = resolve(process.argv[3] ?? import.meta.dirname);
const directory = await mkdtemp(join(tmpdir(), "embedded-store-others-"));
const store = fork(join(checkout, "src/main.ts"), {
  env: { ...process.env, EMBEDDED_STORE_DIRECTORY: directory, PORT: "" },
  stdio: ["ignore", "pipe", "inherit", "ipc"],
});
const [uri] = await once(store.stdout ?? process.stdin, "data");
const client = new MongoClient(String(uri).trim(), { maxPoolSize: 64 });
const large = client
  .db("bench")
  .collection<{ _id: number; group: number; order: number; text: string }>("large");
const small = client.db("bench").collection<{ _id: number; n: number }>("small");

try {
  await fill();
  const filter = { missing: 1 };
  await report("nothing else", () => new Promise((done) => setTimeout(done, 2000)));
  await report("a scan", async () => void (await large.countDocuments(filter)));
  await report("an index build", () => large.createIndex({ order: 1, text: 1 }));
  await report("12 sorts", sortTwelveTimes);
  await report("a group", () => large.aggregate([{ $group: { _id: "$group", n: { $sum: 1 } } }]).toArray());
  await report("an updateMany", () => large.updateMany({ group: { $lt: 5 } }, { $inc: { order: 1 } }));
  await report("a deleteMany", () => large.deleteMany({}));
} finally {
  await client.close();
  store.kill();
  await once(store, "exit");
  await rm(directory, { recursive: true });
}

async function fill(): Promise<void> {
  await small.insertMany(Array.from({ length: 1000 }, (_, _id) => ({ _id, n: 0 })));
  for (let i = 0; i < documents; i += 5000) {
    await large.insertMany(
      Array.from({ length: Math.min(5000, documents - i) }, (_, j) => ({
        _id: i + j,
        group: (i + j) % 10,
        order: Math.floor(Math.random() * 1e9),
        text: "x".repeat(200),
      })),
    );
  }
}

async function sortAll(): Promise<number> {
  let n = 0;
  for await (const _ of large.find({}, { batchSize: 1000 }).sort({ group: 1, order: 1 })) n++;
  return n;
}

/** Returns the number of sorts that were refused because of their memory. */
async function sortTwelveTimes(): Promise<number> {
  const results = await Promise.allSettled(Array.from({ length: 12 }, sortAll));
  return results.filter(({ status }) => status === "rejected").length;
}

async function report(title: string, work: () => Promise<unknown>): Promise<void> {
  let isDone = false;
  const reads: number[] = [];
  const writes: number[] = [];
  const cpuBefore = await cpuSeconds();
  const started = performance.now();
  const worked = work().finally(() => {
    isDone = true;
  });
  let peakMib = 0;
  const probe = async () => {
    while (!isDone) {
      const start = performance.now();
      await small.findOne({ _id: Math.floor(Math.random() * 1000) });
      const read = performance.now();
      await small.updateOne({ _id: Math.floor(Math.random() * 1000) }, { $inc: { n: 1 } });
      reads.push(read - start);
      writes.push(performance.now() - read);
      peakMib = Math.max(peakMib, await residentMib());
      await new Promise((done) => setTimeout(done, 2));
    }
  };
  const [outcome] = await Promise.allSettled([worked, probe()]);
  const seconds = (performance.now() - started) / 1000;
  const failed = outcome.status === "fulfilled" ? "" : `, failed: ${outcome.reason}`;
  const refused =
    outcome.status === "fulfilled" && typeof outcome.value === "number" ? `, refused: ${outcome.value}` : "";
  const cpu = (await cpuSeconds()) - cpuBefore;
  const ms = (sorted: number[], share: number) =>
    (
      sorted.sort((a, b) => a - b)[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    ).toFixed(1);
  console.log(
    `${title}: ${seconds.toFixed(1)} s (CPU ${cpu.toFixed(1)} s)${failed}${refused}; other reads: ${reads.length}, median ${ms(reads, 0.5)} ms, p99 ${ms(reads, 0.99)} ms, max ${ms(reads, 1)} ms; writes: p99 ${ms(writes, 0.99)} ms; memory ${Math.round(peakMib)} MiB`,
  );
}

async function residentMib(): Promise<number> {
  const status = await readFile(`/proc/${store.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

async function cpuSeconds(): Promise<number> {
  const stat = (await readFile(`/proc/${store.pid}/stat`, "utf8")).split(" ");
  return (Number(stat[13]) + Number(stat[14])) / 100;
}
