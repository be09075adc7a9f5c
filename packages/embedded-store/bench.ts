import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Collection, MongoClient } from "mongodb";
import { startEmbeddedStore } from "./src/index.ts";

/*
 * Operations per second through the official driver, with 1 and with 32 callers, on a collection of N
 * documents (first argument, default 100,000) for S seconds per case (second argument), over the socket and over
 * TCP in turns. With a third argument, the directory of this package in another checkout, that version replaces
 * TCP, and the ratios show the cost of a change. Every write is on disk before it is acknowledged.
 */

interface Item {
  _id: string;
  version: number;
  owner: string;
  text: string;
}

const documents = Number(process.argv[2] ?? 100_000);
const secondsPerCase = Number(process.argv[3] ?? 3);
const otherCheckout = process.argv[4];
const rounds = 6;
let inserted = 0;
const text = "x".repeat(400);

/** One way to reach a store. Each has its own store. */
interface Way {
  readonly name: string;
  readonly items: Collection<Item>;
  close(): Promise<void>;
}

const ways = [
  await open("socket", startEmbeddedStore),
  otherCheckout === undefined
    ? await open("TCP", (options) => startEmbeddedStore({ ...options, host: "127.0.0.1" }))
    : await open("other checkout", await loadOther(otherCheckout)),
];
try {
  for (const way of ways) await fill(way);
  for (const callers of [1, 32]) {
    await compare("findOne by _id", callers, (items) => items.findOne({ _id: randomId() }));
    await compare("findOneAndUpdate, conditional", callers, updateConditionally);
    await compare("insertOne", callers, (items) => items.insertOne(newItem(`new-${inserted++}`)));
  }
} finally {
  for (const way of ways) await way.close();
}

async function loadOther(directory: string): Promise<typeof startEmbeddedStore> {
  const entry = pathToFileURL(join(resolve(directory), "src/index.ts"));
  const other: { startEmbeddedStore: typeof startEmbeddedStore } = await import(entry.href);
  return other.startEmbeddedStore;
}

async function open(name: string, start: typeof startEmbeddedStore): Promise<Way> {
  const directory = await mkdtemp(join(tmpdir(), "embedded-store-bench-"));
  const store = await start({ directory, log: (line) => console.error(line) });
  const client = new MongoClient(store.uri, { maxPoolSize: 64 });
  const close = async () => {
    await client.close();
    await store.stop();
    await rm(directory, { recursive: true });
  };
  return { name, items: client.db("bench").collection<Item>("items"), close };
}

async function fill({ name, items }: Way): Promise<void> {
  await items.createIndex({ owner: 1, version: 1 });
  const started = performance.now();
  for (let i = 0; i < documents; i += 1000) {
    await items.insertMany(Array.from({ length: 1000 }, (_, j) => newItem(`item-${i + j}`)));
  }
  const perSecond = documents / ((performance.now() - started) / 1000);
  console.log(`insertMany of 1,000, ${name}: ${Math.round(perSecond).toLocaleString("en")} documents/s`);
}

function newItem(id: string): Item {
  return { _id: id, version: 0, owner: `owner-${Math.floor(Math.random() * 1000)}`, text };
}

function randomId(): string {
  return `item-${Math.floor(Math.random() * documents)}`;
}

function updateConditionally(items: Collection<Item>): Promise<unknown> {
  const filter = { _id: randomId(), version: { $lt: 1_000_000 } };
  return items.findOneAndUpdate(
    filter,
    { $inc: { version: 1 }, $set: { text } },
    { returnDocument: "after" },
  );
}

/** Takes turns, so that other work on the machine affects all ways equally. */
async function compare(
  title: string,
  callers: number,
  operation: (items: Collection<Item>) => Promise<unknown>,
): Promise<void> {
  const total = new Map<Way, number>();
  for (const way of ways) await measure(callers, () => operation(way.items));
  for (let round = 0; round < rounds; round++) {
    for (const way of ways) {
      total.set(way, (total.get(way) ?? 0) + (await measure(callers, () => operation(way.items))) / rounds);
    }
  }
  const results = Array.from(
    total,
    ([{ name }, perSecond]) => `${name} ${Math.round(perSecond).toLocaleString("en")}/s`,
  );
  const [ours = 0, others = 0] = total.values();
  console.log(`${title}, ${callers} callers: ${results.join(", ")} (ratio ${(ours / others).toFixed(2)})`);
}

/** Operations per second. */
async function measure(callers: number, operation: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const started = performance.now();
  const end = started + (secondsPerCase / rounds) * 1000;
  const caller = async () => {
    while (performance.now() < end) {
      await operation();
      count++;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return count / ((performance.now() - started) / 1000);
}
