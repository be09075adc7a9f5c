import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { freePort, temporaryDirectory } from "@muster/testing";
import { type Collection, MongoClient } from "mongodb";
import { type TestContext, test } from "vitest";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));
const kills = 5;
const callers = 8;

interface Counter {
  _id: string;
  /** The applied operations, in order. */
  applied: string[];
}

interface Outcome {
  /** Operations that the server acknowledged. */
  readonly acknowledged: Set<string>;
  /** Operations that failed: they may have been applied, once. */
  readonly unknown: Set<string>;
}

async function startProcess(t: TestContext, directory: string, port: number): Promise<ChildProcess> {
  const env = { ...process.env, EMBEDDED_STORE_DIRECTORY: directory, PORT: String(port) };
  const child = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "inherit"] });
  t.onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const [line] = await once(createInterface(child.stdout), "line");
  assert.match(String(line), /^mongodb:/);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** Inserts and updates, one after the other, until stopped. */
async function write(items: Collection<Counter>, caller: number, outcome: Outcome, running: () => boolean) {
  const counter = `counter-${caller % 2}`;
  for (let i = 0; running(); i++) {
    const id = `${caller}-${i}`;
    try {
      if (i % 2 === 0) await items.insertOne({ _id: id, applied: [id] });
      else await items.updateOne({ _id: counter }, { $push: { applied: id } }, { upsert: true });
      outcome.acknowledged.add(id);
    } catch {
      outcome.unknown.add(id);
    }
  }
}

/** How often each operation is in the store. */
async function countApplied(items: Collection<Counter>): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const { applied } of items.find()) {
    for (const id of applied) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

test("no acknowledged write is lost, and none is applied twice", async (t) => {
  const directory = await temporaryDirectory(t);
  const port = await freePort();
  let running = true;
  t.onTestFinished(() => {
    running = false;
  });
  let child = await startProcess(t, directory, port);
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/`, { serverSelectionTimeoutMS: 5000 });
  t.onTestFinished(() => client.close());
  const items = client.db("durability").collection<Counter>("items");
  const outcome: Outcome = { acknowledged: new Set(), unknown: new Set() };
  const writers = Array.from({ length: callers }, (_, caller) =>
    write(items, caller, outcome, () => running),
  );
  for (let i = 0; i < kills; i++) {
    const before = outcome.acknowledged.size;
    while (outcome.acknowledged.size < before + 150) await new Promise((resolve) => setTimeout(resolve, 5));
    await kill(child);
    child = await startProcess(t, directory, port);
  }
  running = false;
  await Promise.all(writers);
  const counts = await countApplied(items);

  for (const id of outcome.acknowledged) assert.equal(counts.get(id), 1, `acknowledged operation ${id}`);
  for (const [id, count] of counts) {
    assert.equal(count, 1, `operation ${id}`);
    assert.ok(outcome.acknowledged.has(id) || outcome.unknown.has(id), `operation ${id} was sent`);
  }
  assert.ok(outcome.acknowledged.size >= kills * 150);
});
