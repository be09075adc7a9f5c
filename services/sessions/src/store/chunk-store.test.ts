import assert from "node:assert/strict";
import { ensureIndexes } from "@muster/store";
import { openTestStore } from "@muster/store/testing";
import { type Document, MongoClient } from "mongodb";
import { type TestContext, test } from "vitest";
import { chunkIndexes, createChunkStore, positionId } from "./chunk-store.ts";

const key = { projectId: "prj_1", sessionId: "ses_1" };

test("the chunks that contain a message are returned in the order of their positions, whatever the names of their generations", async (t) => {
  const { db } = await openTestStore(t);
  const chunks = createChunkStore(db);
  const rest = { count: 1, shownIds: ["msg_1"], messages: "[]" };
  for (const [gen, first] of [
    ["gen_c", 2],
    ["gen_b", 0],
    ["gen_a", 1],
  ] as const) {
    await chunks.insert(key, { ...rest, gen, first }, new Date(0));
  }
  const found = await chunks.containing(key, "msg_1");
  assert.deepEqual(
    found.map(({ first }) => first),
    [0, 1, 2],
  );
});

/** A session with 100 chunks of two messages each. `examined`: the documents that the last `find` reads. */
async function openLongSession(t: TestContext) {
  const { db, uri } = await openTestStore(t);
  await ensureIndexes(db, [chunkIndexes]);
  const client = new MongoClient(uri, { monitorCommands: true });
  t.onTestFinished(() => client.close());
  let last: Document = {};
  client.on("commandStarted", ({ commandName, command }) => {
    if (commandName === "find") last = command;
  });
  const chunks = createChunkStore(client.db(db.databaseName));
  for (let first = 0; first < 200; first += 2) {
    const shownIds = [`msg_${first}`, `msg_${first + 1}`];
    await chunks.insert(
      key,
      { gen: "gen_1", first, count: 2, shownIds, executionIds: [], messages: "[]" },
      new Date(0),
    );
  }
  const examined = async () => {
    const { find, filter, projection, sort, limit } = last;
    const explain = { find, filter, projection, ...(sort && { sort }), ...(limit && { limit }) };
    const { executionStats } = await db.command({ explain, verbosity: "executionStats" });
    return executionStats.totalDocsExamined;
  };
  return { chunks, examined };
}

test("the chunk of a message is found without reading the others of its session", async (t) => {
  const { chunks, examined } = await openLongSession(t);
  assert.deepEqual(await chunks.containing(key, "msg_7"), [
    { _id: "ses_1:gen_1:000000006:000000008", gen: "gen_1", first: 6, count: 2 },
  ]);
  assert.equal(await examined(), 1);
});

test("a batch of chunks is read without the others of its session", async (t) => {
  const { chunks, examined } = await openLongSession(t);
  const range = { gen: "gen_1", from: 0, to: 200, bytes: 0 };
  const firsts = (batch: ReadonlyArray<{ first: number }>) => batch.map(({ first }) => first);
  const next = await chunks.from(key, range, positionId("ses_1", "gen_1", 50));
  assert.deepEqual(firsts(next), [50, 52, 54, 56, 58, 60, 62, 64]);
  assert.equal(await examined(), 8);
  const previous = await chunks.before(key, range, positionId("ses_1", "gen_1", 50));
  assert.deepEqual(firsts(previous), [48, 46, 44, 42, 40, 38, 36, 34]);
  assert.equal(await examined(), 8);
});

test("the chunks of an execution are found without reading the others of its session", async (t) => {
  const { chunks, examined } = await openLongSession(t);
  const rest = { gen: "gen_1", count: 1, shownIds: [], messages: "[]" };
  await chunks.insert(key, { ...rest, first: 200, executionIds: ["exe_1"] }, new Date(0));
  await chunks.insert(key, { ...rest, first: 201 }, new Date(0));
  const firsts = (await chunks.mentioning(key, "exe_1")).map(({ first }) => first);
  assert.deepEqual(firsts.sort(), [200, 201], "the second one is of an earlier release");
  assert.equal(await examined(), 2);
});
