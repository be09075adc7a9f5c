import assert from "node:assert/strict";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { temporaryDirectory } from "@muster/testing";
import { deserialize, serialize } from "bson";
import { type TestContext, test } from "vitest";
import { encodeDoc } from "../bson/encode.ts";
import { Doc } from "../bson/value.ts";
import { execute } from "../commands/dispatch.ts";
import { openStore } from "../open-store.ts";
import { type Recorded, readRecording } from "./read-recording.ts";
import { type Run, replay } from "./replay.ts";
import { canonical } from "./result.ts";

/** Runs commands in this process, without a server and without commits. */
async function startRun(t: TestContext): Promise<Run> {
  const store = openStore(await temporaryDirectory(t));
  t.onTestFinished(() => {
    store.database.rollback();
    store.database.close();
  });
  return async (command) => {
    // Commands run synchronously: without a turn between them, neither the test's timeout nor its progress gets through.
    await nextTurn();
    const request = Doc.fromRaw(Buffer.from(serialize({ ...command, $db: "replay" })));
    const reply = encodeDoc(execute(store, () => request));
    return deserialize(reply, { promoteValues: false, promoteLongs: false });
  };
}

const recording = join(import.meta.dirname, "../../corpus/mongodb-answers.jsonl.gz");

async function* only(...operations: Recorded[]) {
  yield* operations;
}

const insert: Recorded = {
  round: 0,
  seq: 0,
  compare: "exact",
  command: { insert: "items", documents: [{ _id: 1, a: 1 }] },
  answer: { n: 1 },
  after: [{ _id: 1, a: 1 }],
};

test("2,312 operations recorded from MongoDB return the same results or are refused", async (t) => {
  const { same, refused, differences } = await replay(await startRun(t), readRecording(recording));
  const described = differences.map(({ operation, expected, actual }) =>
    [canonical(operation.command), expected, actual].join("\n"),
  );
  assert.deepEqual(described, []);
  const messages = Array.from(refused, ([message, count]) => [
    message.replace(/ is not supported.*/, ""),
    count,
  ]);
  assert.deepEqual(Object.fromEntries(messages), {
    "The update operator $rename": 13,
    "The update operator $addToSet": 32,
    "The update operator $max": 17,
    "$push with $position": 2,
    "$pull with operators": 2,
    "A position in the path of an update ('b.2')": 1,
    "The option 'remove' of 'findAndModify'": 14,
    "The query operator $all": 2,
    "The query operator $nor": 1,
    "$elemMatch by anything but operators": 2,
    "A projection that is neither 1 nor 0 ('n')": 6,
  });
  assert.equal(same, 2220);
});

test("another result is reported as a difference", async (t) => {
  const count: Recorded = {
    round: 0,
    seq: 1,
    compare: "exact",
    command: { count: "items" },
    answer: { n: 7 },
  };
  const { differences } = await replay(await startRun(t), only(insert, count));
  assert.deepEqual(
    differences.map(({ operation }) => operation.seq),
    [1],
  );
});

test("another stored document is reported as a difference, and the recorded one replaces it", async (t) => {
  const wrong = { ...insert, after: [{ _id: 1, a: 2 }] };
  const find: Recorded = {
    round: 0,
    seq: 1,
    compare: "set",
    command: { find: "items" },
    answer: { list: [canonical({ _id: 1, a: 2 })] },
  };
  const { same, differences } = await replay(await startRun(t), only(wrong, find));
  assert.deepEqual(
    differences.map(({ operation }) => operation.seq),
    [0],
  );
  assert.equal(same, 1);
});

test("success where MongoDB failed is reported as a difference", async (t) => {
  const failed = { ...insert, answer: { error: 2 } };
  const { differences } = await replay(await startRun(t), only(failed));
  assert.equal(differences[0]?.expected, "error 2");
});
