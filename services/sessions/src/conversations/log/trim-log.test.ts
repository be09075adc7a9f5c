import assert from "node:assert/strict";
import { openTestStore } from "@muster/store/testing";
import { describe, type TestContext, test } from "vitest";
import { createLogStore, logId, sequenceOf } from "../../store/log-store.ts";
import { trimLog } from "./execution-logs.ts";

const key = { projectId: "prj_1", sessionId: "ses_1" };
const types = ["trigger", "model-request", "llm-response"];
const turns = 10;

/** The rest of a log of ten turns, with three entries each, of which these are stored. */
async function trimmed(t: TestContext, maxEntries: number, stored: readonly number[], maxLength = 1_000_000) {
  const { db } = await openTestStore(t);
  const store = createLogStore(db);
  const documentOf = (turn: number) => {
    const entries = types
      .map((type, at) => JSON.stringify({ type, sequence: sequenceOf(turn, at + 1) }))
      .join("\n");
    const about = {
      ...key,
      agentId: "agt_1",
      executionId: `exe_${turn}`,
      createdAt: new Date(0),
      expiresAt: null,
    };
    return {
      _id: logId(key.sessionId, turn, 1),
      ...about,
      count: 3,
      requests: 1,
      length: entries.length,
      entries,
    };
  };
  await store.insert(Array.from({ length: turns }, (_, index) => documentOf(index + 1)));
  let asked = 0;
  const storedExecutions = async () => {
    asked += 1;
    return new Set(stored.map((turn) => `exe_${turn}`));
  };
  for (let time = 0; time < 2; time++)
    await trimLog({ store, limits: { maxEntries, maxLength }, storedExecutions }, key);
  const headers = await store.headers(key);
  const counts = headers.map(({ executionId, count, requests }) => [
    Number(executionId.slice(4)),
    count,
    requests,
  ]);
  const last = headers.at(-1)?._id ?? "";
  const lengths: number[] = [];
  for await (const { entries } of store.between(key, headers[0]?._id ?? "", last))
    lengths.push(entries.length);
  assert.deepEqual(
    lengths,
    headers.map(({ length }) => length),
  );
  return { counts, asked };
}

const all = Array.from({ length: turns }, (_, index) => index + 1);

describe("a log that is too long", () => {
  test("a log within its limits stays", async (t) => {
    assert.deepEqual(await trimmed(t, 30, all), { counts: all.map((turn) => [turn, 3, 1]), asked: 0 });
  });

  test("the prompts of models are trimmed first, from the oldest turn on, and no more than needed", async (t) => {
    const { counts, asked } = await trimmed(t, 26, all);
    assert.deepEqual(
      counts,
      all.map((turn) => (turn <= 4 ? [turn, 2, 0] : [turn, 3, 1])),
    );
    assert.equal(asked, 0);
  });

  test("the turns of the stored conversation keep their entries, however many they are", async (t) => {
    for (const [maxEntries, maxLength] of [
      [1, 1_000_000],
      [100, 10],
    ] as const) {
      const { counts } = await trimmed(t, maxEntries, all, maxLength);
      assert.deepEqual(
        counts,
        all.map((turn) => (turn < turns ? [turn, 2, 0] : [turn, 3, 1])),
      );
    }
  });

  test("turns that are no longer stored go next, from the oldest on, but never the newest", async (t) => {
    const { counts } = await trimmed(t, 17, [2, 4]);
    assert.deepEqual(counts, [
      [2, 2, 0],
      [4, 2, 0],
      ...[5, 6, 7, 8, 9].map((turn) => [turn, 2, 0]),
      [10, 3, 1],
    ]);
    assert.deepEqual((await trimmed(t, 1, [])).counts, [[10, 3, 1]]);
  });
});
