import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "vitest";
import { startTestServer } from "../testing.ts";
import { type Recorded, readRecording } from "./recording.ts";
import { replay } from "./replay.ts";
import { canonical } from "./result.ts";

const server = await startTestServer();
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

describe("a replay of MongoDB's responses", () => {
  test("3,000 operations recorded from MongoDB return the same results or are refused", async () => {
    const { same, refused, differences, gaps } = await replay(server.database(), readRecording(recording));
    const described = differences.map(({ operation, expected, actual }) =>
      [canonical(operation.command), expected, actual].join("\n"),
    );
    assert.deepEqual(described, []);
    assert.deepEqual(Object.fromEntries(refused), {
      "$inc with a decimal is not supported by the embedded store": 1,
      "An upsert whose filter matches nothing is not supported by the embedded store": 1,
    });
    // There MongoDB's own later results prove that an index was removed without a record of it.
    const places = gaps.map(({ round, seq }) => `${round}/${seq}`);
    assert.deepEqual(places, ["5/18", "20/56", "24/44"]);
    assert.equal(same, 2995);
  });

  test("another result is reported as a difference", async () => {
    const count: Recorded = {
      round: 0,
      seq: 1,
      compare: "exact",
      command: { count: "items" },
      answer: { n: 7 },
    };
    const { differences } = await replay(server.database(), only(insert, count));
    assert.deepEqual(
      differences.map(({ operation }) => operation.seq),
      [1],
    );
  });

  test("another stored document is reported as a difference, and the recorded one replaces it", async () => {
    const wrong = { ...insert, after: [{ _id: 1, a: 2 }] };
    const find: Recorded = {
      round: 0,
      seq: 1,
      compare: "set",
      command: { find: "items" },
      answer: { list: [canonical({ _id: 1, a: 2 })] },
    };
    const { same, differences } = await replay(server.database(), only(wrong, find));
    assert.deepEqual(
      differences.map(({ operation }) => operation.seq),
      [0],
    );
    assert.equal(same, 1);
  });

  test("success where MongoDB failed is reported as a difference", async () => {
    const failed = { ...insert, answer: { error: 2 } };
    const { differences } = await replay(server.database(), only(failed));
    assert.equal(differences[0]?.expected, "error 2");
  });
});
