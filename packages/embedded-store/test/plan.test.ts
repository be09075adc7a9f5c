import assert from "node:assert/strict";
import { type CreateIndexesOptions, Double, type Filter, type IndexSpecification, type Sort } from "mongodb";
import { beforeAll, describe, test } from "vitest";
import { type AnyDocument, startTestServer } from "./support/test-server.ts";

const server = await startTestServer();
const items = server.collection();

async function plan(filter: Filter<AnyDocument>, sort: Sort = {}, limit = 0) {
  const { queryPlanner, executionStats } = await items.find(filter).sort(sort).limit(limit).explain();
  return {
    ...queryPlanner.winningPlan,
    examined: executionStats.totalDocsExamined,
    returned: executionStats.nReturned,
  };
}

async function index(keys: IndexSpecification, options: CreateIndexesOptions = {}): Promise<void> {
  await items.createIndex(keys, options);
}

describe("choice of an index", () => {
  beforeAll(async () => {
    const documents = Array.from({ length: 100 }, (_, i) => ({
      _id: i,
      project: `p${i % 10}`,
      slug: `slug-${i}`,
      n: i,
      tags: [i % 7, 10 + (i % 3)],
      outbox: i % 20 === 0 ? [{ id: `event-${i}` }] : [],
      ...(i % 4 === 0 ? { lease: { until: i } } : {}),
    }));
    await items.insertMany(documents);
    await index({ project: 1, slug: 1 }, { unique: true });
    await index({ project: 1, n: -1 });
    await index({ tags: 1, n: 1 });
    await index({ "outbox.id": 1 }, { partialFilterExpression: { "outbox.0": { $exists: true } } });
    await index({ "lease.until": 1 }, { partialFilterExpression: { "lease.until": { $exists: true } } });
  });

  test("an equality on _id reads one document", async () => {
    assert.deepEqual(await plan({ _id: 7 }), {
      stage: "IXSCAN",
      indexName: "_id_",
      keyPattern: { _id: 1 },
      direction: "forward",
      ranges: 1,
      sorts: false,
      filters: false,
      examined: 1,
      returned: 1,
    });
  });

  test("additional conditions do not prevent the use of the index on _id", async () => {
    const chosen = await plan({ _id: 7, project: "p7", n: { $gt: 0 }, lease: null });
    assert.equal(chosen.indexName, "_id_");
    assert.equal(chosen.examined, 1);
  });

  test("a unique compound key reads one document", async () => {
    const chosen = await plan({ project: "p3", slug: "slug-13" });
    assert.equal(chosen.indexName, "project_1_slug_1");
    assert.equal(chosen.examined, 1);
  });

  test("one index serves equality, range and order in both directions", async () => {
    const forward = await plan({ project: "p3", n: { $lt: 50 } }, { n: -1 }, 2);
    assert.deepEqual([forward.indexName, forward.sorts, forward.examined], ["project_1_n_-1", false, 2]);
    const backward = await plan({ project: "p3", n: { $lt: 50 } }, { n: 1 }, 2);
    assert.deepEqual([backward.direction, backward.sorts, backward.examined], ["backward", false, 2]);
  });

  test("$in on the leading field scans several ranges, which do not provide a sort order", async () => {
    const chosen = await plan({ project: { $in: ["p3", "p1", "p1"] } }, { n: -1 });
    assert.deepEqual(
      [chosen.indexName, chosen.ranges, chosen.sorts, chosen.examined],
      ["project_1_slug_1", 2, true, 20],
    );
    const found = await items
      .find({ project: { $in: ["p3", "p1"] } })
      .sort({ n: -1 })
      .toArray();
    assert.deepEqual(
      found.slice(0, 4).map(({ n }) => n),
      [93, 91, 83, 81],
    );
  });

  test("an index over arrays finds documents by element, and provides the order of the fields after it", async () => {
    const first = await plan({ tags: 3 }, { n: -1 }, 2);
    assert.deepEqual([first.indexName, first.sorts, first.examined], ["tags_1_n_1", false, 2]);
    const found = await items.find({ tags: 3 }).sort({ n: -1 }).toArray();
    assert.deepEqual(
      found.map(({ n }) => n),
      [94, 87, 80, 73, 66, 59, 52, 45, 38, 31, 24, 17, 10, 3],
    );
  });

  test("an index over arrays provides no order of the arrays, of several elements, or under a range of elements", async () => {
    for (const [filter, sort] of [
      [{ tags: 3 }, { tags: 1, n: 1 }],
      [{ tags: { $in: [3, 4] } }, { n: 1 }],
      [{ tags: { $gt: 3 } }, { n: 1 }],
    ] satisfies Array<Parameters<typeof plan>>) {
      const chosen = await plan(filter, sort);
      assert.deepEqual([chosen.indexName, chosen.sorts], ["tags_1_n_1", true]);
    }
    const sorted = await items
      .find({ tags: { $gt: 5 } })
      .sort({ tags: 1, _id: 1 })
      .limit(3)
      .toArray();
    assert.deepEqual(
      sorted.map(({ _id }) => _id),
      [0, 7, 14],
      "sorts by the least element, not by the least above 5",
    );
  });

  test("the first documents of a range of _id are read in its order, and not by an index that repeats them for each element", async () => {
    const own = server.collection();
    await own.createIndex({ owner: 1, tags: 1 });
    const documents = Array.from({ length: 100 }, (_, i) => ({
      _id: i,
      owner: "a",
      tags: [i, i + 1, i + 2],
    }));
    await own.insertMany(documents);
    const examined = async (direction: 1 | -1) => {
      const query = own.find({ _id: { $gt: 9, $lt: 90 }, owner: "a" }).sort({ _id: direction });
      const { queryPlanner, executionStats } = await query.limit(8).explain();
      return [queryPlanner.winningPlan.indexName, executionStats.totalDocsExamined];
    };
    assert.deepEqual(await examined(1), ["_id_", 8]);
    assert.deepEqual(await examined(-1), ["_id_", 8]);
    const element = await own
      .find({ _id: { $gt: 9 }, owner: "a", tags: 50 })
      .sort({ _id: 1 })
      .limit(8)
      .explain();
    assert.equal(element.queryPlanner.winningPlan.indexName, "owner_1_tags_1");
    // Without a range of _id, its order would lead through the documents of all owners.
    const ofOwner = await own.find({ owner: "a" }).sort({ _id: 1 }).limit(8).explain();
    assert.equal(ofOwner.queryPlanner.winningPlan.indexName, "owner_1_tags_1");
  });

  test("only one condition on an array bounds the scan, because another element may satisfy the next", async () => {
    const chosen = await plan({ tags: { $gt: 9, $lt: 1 } });
    assert.equal(chosen.indexName, "tags_1_n_1");
    assert.equal(chosen.returned, 15);
  });

  test("a partial index serves queries that imply its filter", async () => {
    const pending = await plan({ "outbox.0": { $exists: true } });
    assert.deepEqual([pending.indexName, pending.examined], ["outbox.id_1", 5]);
    const due = await plan({ "lease.until": { $lte: 8 } });
    assert.deepEqual([due.indexName, due.examined, due.returned], ["lease.until_1", 3, 3]);
    const one = await plan({ "outbox.0": { $exists: true }, "outbox.id": "event-40" });
    assert.deepEqual([one.indexName, one.examined], ["outbox.id_1", 1]);
  });

  test("a partial index does not serve queries that may need other documents", async () => {
    assert.equal((await plan({ "lease.until": null })).stage, "COLLSCAN");
    assert.equal(await items.countDocuments({ "lease.until": null }), 75);
    assert.equal((await plan({ "outbox.id": "event-40" })).stage, "COLLSCAN");
    assert.equal((await plan({}, { "lease.until": 1 })).stage, "COLLSCAN");
  });

  test("a document enters and leaves a partial index when a field of the filter changes", async () => {
    const own = server.collection();
    await own.createIndex({ n: 1 }, { partialFilterExpression: { open: true } });
    await own.insertOne({ _id: 1, n: 1, open: false });
    const examined = async () =>
      (await own.find({ n: 1, open: true }).explain()).executionStats.totalDocsExamined;
    assert.equal(await examined(), 0);
    await own.updateOne({ _id: 1 }, { $set: { open: true } });
    assert.equal(await examined(), 1);
    await own.updateOne({ _id: 1 }, { $set: { open: false } });
    assert.equal(await examined(), 0);
  });

  test("a list too long for an index is still tested on each document", async () => {
    const list = (from: number) => ({ $in: Array.from({ length: 10_001 }, (_, i) => from + i) });
    const found = await items
      .find({ _id: list(98) })
      .sort({ _id: 1 })
      .toArray();
    assert.deepEqual(
      found.map(({ _id }) => _id),
      [98, 99],
    );
    assert.equal(await items.countDocuments({ project: "p8", n: list(50) }), 5);
    assert.equal((await items.deleteMany({ project: "p8", n: list(1000) })).deletedCount, 0);
  });

  test("a partial index on one number type does not serve queries for numbers, which equal other types", async () => {
    const mixed = server.collection();
    await mixed.insertMany([
      { _id: 1, n: 5 },
      { _id: 2, n: new Double(5) },
    ]);
    await mixed.createIndex({ n: 1 }, { partialFilterExpression: { n: { $type: "int" } } });
    assert.equal(await mixed.countDocuments({ n: 5 }), 2);
    assert.equal(await mixed.countDocuments({ n: { $in: [5] } }), 2);
  });
});
