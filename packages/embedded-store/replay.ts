import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Document, MongoClient, MongoServerError } from "mongodb";
import { startEmbeddedStore } from "./src/index.ts";
import { readRecording } from "./src/replay/recording.ts";
import { replay } from "./src/replay/replay.ts";
import { canonical } from "./src/replay/result.ts";

/*
 * Replays a recording of MongoDB's responses against the store (first argument, default: the one in corpus/)
 * and prints every difference. With a URI as second argument, replays it against that server instead.
 */

const path = process.argv[2] ?? join(import.meta.dirname, "corpus/mongodb-answers.jsonl.gz");
const directory = await mkdtemp(join(tmpdir(), "embedded-store-replay-"));
const store = await startEmbeddedStore({ directory, log: (line) => console.error(line) });
const client = new MongoClient(process.argv[3] ?? store.uri);

async function run(command: Document): Promise<Document> {
  try {
    return await client.db("replay").command(command, { promoteValues: false, promoteLongs: false });
  } catch (error) {
    if (error instanceof MongoServerError) return error.errorResponse;
    throw error;
  }
}

try {
  const { same, refused, differences, gaps } = await replay(run, readRecording(path));
  for (const { operation, expected, actual } of differences) {
    const { round, seq, command } = operation;
    console.log(`round ${round}, operation ${seq}: ${canonical(command)}`);
    for (const line of onlyIn(expected, actual)) console.log(`  MongoDB: ${line}`);
    for (const line of onlyIn(actual, expected)) console.log(`  store:   ${line}`);
  }
  for (const [message, count] of refused) console.log(`refused ${count} times: ${message}`);
  for (const { round, seq } of gaps) {
    console.log(`round ${round}, operation ${seq}: the recording omits an earlier removal of an index`);
  }
  const refusals = [...refused.values()].reduce((sum, count) => sum + count, 0);
  console.log(`${same} the same, ${refusals} refused, ${gaps.length} gaps, ${differences.length} different`);
  if (differences.length > 0) process.exitCode = 1;
} finally {
  await client.close();
  await store.stop();
  await rm(directory, { recursive: true });
}

function onlyIn(text: string, other: string): string[] {
  const others = new Set(other.split("\n"));
  const lines = text.split("\n").filter((line) => !others.has(line));
  return lines.length > 0 ? lines : ["the same lines in another order, or fewer"];
}
