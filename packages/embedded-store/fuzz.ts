import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { MongoClient } from "mongodb";
import { startEmbeddedStore } from "./src/index.ts";
import { exchange, mutatedMessage } from "./src/testing/mutated-messages.ts";

/* Sends N mutated messages (first argument, default 6,000; second argument: a seed) and reports the first that the store does not survive. */

const numRuns = Number(process.argv[2] ?? 6000);
const seed = Number(process.argv[3] ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed}`);
const directory = await mkdtemp(join(tmpdir(), "embedded-store-fuzz-"));
const faults: string[] = [];
const store = await startEmbeddedStore({
  directory,
  log: (line) => line.includes("failed inside the store") && faults.push(line),
});
const client = new MongoClient(store.uri);
let replies = 0;
try {
  const property = fc.asyncProperty(mutatedMessage, async (bytes) => {
    if ((await exchange(store.uri, bytes)) > 0) replies++;
    await client.db("admin").command({ ping: 1 });
    if (faults[0] !== undefined) throw new Error(faults[0]);
  });
  await fc.assert(property, { numRuns, seed });
  console.log(`${numRuns} messages: ${replies} replies, ${numRuns - replies} closed connections, no fault`);
} finally {
  await client.close();
  await store.stop();
  await rm(directory, { recursive: true, force: true });
}
