import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Collection, MongoClient } from "mongodb";
import { startEmbeddedStore } from "./src/index.ts";

/*
 * Operations per second through the official driver, with 1 and with 32 callers, on a collection of N
 * documents (first argument, default 100,000). Every write is on the disk before it is answered.
 */

interface Item {
  _id: string;
  version: number;
  owner: string;
  text: string;
}

const documents = Number(process.argv[2] ?? 100_000);
const secondsPerCase = Number(process.argv[3] ?? 3);
let inserted = 0;
const text = "x".repeat(400);

const directory = await mkdtemp(join(tmpdir(), "embedded-store-bench-"));
const store = await startEmbeddedStore({ directory, log: (line) => console.error(line) });
const client = new MongoClient(store.uri, { maxPoolSize: 64 });
const items = client.db("bench").collection<Item>("items");
try {
  await fill(items);
  for (const callers of [1, 32]) {
    await measure("findOne by _id", callers, () => items.findOne({ _id: randomId() }));
    await measure("findOneAndUpdate, conditional", callers, updateConditionally);
    await measure("insertOne", callers, () => items.insertOne(newItem(`new-${inserted++}`)));
  }
} finally {
  await client.close();
  await store.stop();
  await rm(directory, { recursive: true });
}

async function fill(target: Collection<Item>): Promise<void> {
  await target.createIndex({ owner: 1, version: 1 });
  const started = performance.now();
  for (let i = 0; i < documents; i += 1000) {
    await target.insertMany(Array.from({ length: 1000 }, (_, j) => newItem(`item-${i + j}`)));
  }
  const perSecond = documents / ((performance.now() - started) / 1000);
  console.log(`insertMany of 1,000: ${Math.round(perSecond).toLocaleString("en")} documents/s`);
}

function newItem(id: string): Item {
  return { _id: id, version: 0, owner: `owner-${Math.floor(Math.random() * 1000)}`, text };
}

function randomId(): string {
  return `item-${Math.floor(Math.random() * documents)}`;
}

async function updateConditionally(): Promise<unknown> {
  const filter = { _id: randomId(), version: { $lt: 1_000_000 } };
  return items.findOneAndUpdate(
    filter,
    { $inc: { version: 1 }, $set: { text } },
    { returnDocument: "after" },
  );
}

async function measure(name: string, callers: number, operation: () => Promise<unknown>): Promise<void> {
  let count = 0;
  const started = performance.now();
  const end = started + secondsPerCase * 1000;
  const caller = async () => {
    while (performance.now() < end) {
      await operation();
      count++;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const perSecond = count / ((performance.now() - started) / 1000);
  console.log(`${name}, ${callers} callers: ${Math.round(perSecond).toLocaleString("en")}/s`);
}
