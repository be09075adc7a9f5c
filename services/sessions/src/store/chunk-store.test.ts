import assert from "node:assert/strict";
import { ensureIndexes } from "@muster/store";
import { openTestStore } from "@muster/store/testing";
import { MongoClient } from "mongodb";
import { test } from "vitest";
import { chunkIndexes, createChunkStore } from "./chunk-store.ts";

test("the chunks that contain a message come in the order of their positions, whatever their generations are called", async (t) => {
  const { db } = await openTestStore(t);
  const chunks = createChunkStore(db);
  const key = { projectId: "prj_1", sessionId: "ses_1" };
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

test("the chunk of a message is found without reading the others of its session", async (t) => {
  const { db, uri } = await openTestStore(t);
  await ensureIndexes(db, [chunkIndexes]);
  const client = new MongoClient(uri, { monitorCommands: true });
  t.onTestFinished(() => client.close());
  const commands: Array<{ filter: object }> = [];
  client.on("commandStarted", ({ commandName, command }) => {
    if (commandName === "find") commands.push({ filter: command.filter });
  });
  const chunks = createChunkStore(client.db(db.databaseName));
  const key = { projectId: "prj_1", sessionId: "ses_1" };
  for (let first = 0; first < 100; first++) {
    await chunks.insert(
      key,
      { gen: "gen_1", first, count: 1, shownIds: [`msg_${first}`], messages: "[]" },
      new Date(0),
    );
  }
  assert.deepEqual(await chunks.containing(key, "msg_7"), [
    { _id: "ses_1:gen_1:000000007:000000008", gen: "gen_1", first: 7, count: 1 },
  ]);
  const explained = await db
    .collection("messages")
    .find(commands[0]?.filter ?? {})
    .explain("executionStats");
  assert.equal(explained.executionStats.totalDocsExamined, 1);
});
