import assert from "node:assert/strict";
import { openTestStore } from "@muster/store/testing";
import { describe, type TestContext, test } from "vitest";
import { createLogStore, logId, sequenceOf } from "../../store/log-store.ts";
import { findEntry, maxEntries, readLog } from "./read-log.ts";

const key = { projectId: "prj_1", sessionId: "ses_1" };
const types = ["trigger", "model-request", "llm-response", "step-stats"];

/** A log of turns with four entries each. */
async function openLog(t: TestContext, turns: number) {
  const { db } = await openTestStore(t);
  const store = createLogStore(db);
  const documents = Array.from({ length: turns }, (_, index) => ({
    ...key,
    _id: logId(key.sessionId, index + 1, 1),
    agentId: "agt_1",
    executionId: `exe_${index}`,
    ...{ count: 4, requests: 1, length: 100 },
    entries: types
      .map((type, at) => {
        const sequence = sequenceOf(index + 1, at + 1);
        return JSON.stringify({ type, id: `log_x_${sequence}`, sequence });
      })
      .join("\n"),
    createdAt: new Date(0),
    expiresAt: null,
  }));
  if (turns > 0) await store.insert(documents);
  const [first] = documents;
  // Entries of another session, and of another project.
  if (first) await store.insert([{ ...first, _id: logId("ses_10", 1, 1), sessionId: "ses_10" }]);
  if (first) await store.insert([{ ...first, _id: logId(key.sessionId, 9, 2), projectId: "prj_2" }]);
  return store;
}

async function read(
  store: Awaited<ReturnType<typeof openLog>>,
  excludeModelRequests = false,
  page: { after?: number; limit?: number } = {},
) {
  const { total, truncated, batches } = await readLog(store, key, await store.headers(key), {
    ...{ excludeModelRequests, limit: maxEntries },
    ...page,
  });
  const entries: Array<{ type: string; sequence: number }> = [];
  for await (const { lines } of batches) entries.push(...lines.map((json) => JSON.parse(json)));
  return { total, truncated, entries };
}

describe("reading a log", () => {
  test("a short log is returned in full, without the entries of others", async (t) => {
    const store = await openLog(t, 20);
    const { total, truncated, entries } = await read(store);
    assert.deepEqual([total, truncated], [80, false]);
    assert.deepEqual(
      entries.map(({ type }) => type),
      Array.from({ length: 20 }, () => types).flat(),
    );
    const without = await read(store, true);
    assert.deepEqual([without.total, without.truncated], [60, false]);
    assert.deepEqual(
      without.entries,
      entries.filter(({ type }) => type !== "model-request"),
    );
  });

  test("of a long log, exactly the newest 3,000 entries are returned, with and without model requests", async (t) => {
    const store = await openLog(t, 1_025);
    const all = await read(store);
    assert.deepEqual([all.total, all.truncated, all.entries.length], [4_100, true, maxEntries]);
    assert.equal(all.entries[0]?.sequence, sequenceOf(1_025 - maxEntries / 4 + 1, 1));
    assert.equal(all.entries.at(-1)?.sequence, sequenceOf(1_025, 4));
    const without = await read(store, true);
    assert.deepEqual([without.total, without.truncated, without.entries.length], [3_075, true, maxEntries]);
    assert.equal(without.entries[0]?.sequence, sequenceOf(26, 1));
    for (const { type } of without.entries) assert.notEqual(type, "model-request");
  });

  test("pages of any size, with and without model requests, have every entry once and say whether more follow", async (t) => {
    const store = await openLog(t, 12);
    for (const without of [false, true]) {
      const { entries: all } = await read(store, without);
      for (let limit = 1; limit <= all.length + 1; limit++) {
        const paged: unknown[] = [];
        for (let after = 0; ; ) {
          const { entries, total, truncated } = await read(store, without, { after, limit });
          paged.push(...entries);
          assert.deepEqual([total, truncated], [all.length, paged.length < all.length]);
          if (!truncated) break;
          after = entries.at(-1)?.sequence ?? assert.fail();
        }
        assert.deepEqual(paged, all, `pages of ${limit}`);
      }
    }
    assert.deepEqual((await read(store, false, { after: sequenceOf(99, 1) })).entries, []);
  });

  test("an entry is found by its id, and by no other", async (t) => {
    const store = await openLog(t, 3);
    for (const { sequence } of (await read(store)).entries) {
      const { lines } = (await findEntry(store, key, `log_x_${sequence}`, sequence)) ?? {};
      assert.equal(JSON.parse(lines?.[0] ?? "").sequence, sequence);
      assert.equal(await findEntry(store, key, `log_y_${sequence}`, sequence), undefined);
      assert.equal(
        await findEntry(store, { ...key, projectId: "prj_3" }, `log_x_${sequence}`, sequence),
        undefined,
      );
    }
    assert.equal(await findEntry(store, key, "log_x_7", 7), undefined);
  });

  test("an empty log has no entries", async (t) => {
    assert.deepEqual(await read(await openLog(t, 0)), { total: 0, truncated: false, entries: [] });
  });

  test("deleting a log, or documents of it, leaves the logs of other sessions and projects", async (t) => {
    const store = await openLog(t, 20);
    const ids = Array.from({ length: 14 }, (_, index) => logId(key.sessionId, index + 1, 1));
    await store.delete(key, ids);
    assert.equal((await read(store)).total, 24);
    await store.delete(key);
    assert.equal((await read(store)).total, 0);
    assert.equal((await store.headers({ ...key, projectId: "prj_2" })).length, 1);
    assert.equal((await store.headers({ ...key, sessionId: "ses_10" })).length, 1);
  });
});
