import assert from "node:assert/strict";
import { temporaryDirectory } from "@muster/testing";
import fc from "fast-check";
import { describe, type TestContext, test, vi } from "vitest";
import { doc, type PlainFields } from "../bson/plain.ts";
import type { Doc } from "../bson/value.ts";
import { countCollections } from "../commands/count.ts";
import { execute, start } from "../commands/dispatch.ts";
import { runToEnd } from "../steps.ts";
import { openStore } from "../store.ts";

const documents = 3000;

/** A store that has just been opened, so that nothing is counted. Slices end at the first check of the clock. */
async function reopen(t: TestContext) {
  const directory = await temporaryDirectory(t);
  const before = openStore(directory);
  const items = Array.from({ length: documents }, (_, i) => ({ _id: 2 * i }));
  execute(before, () => doc({ insert: "items", documents: items, $db: "counts" }));
  before.database.commit();
  before.database.close();
  const store = openStore(directory);
  t.onTestFinished(() => {
    store.database.rollback();
    store.database.close();
  });
  vi.spyOn(store.database.pace, "isOver").mockReturnValue(true);
  const run = (command: PlainFields): Doc => execute(store, () => doc({ ...command, $db: "counts" }));
  return { store, run };
}

const numberIn = (reply: Doc): unknown => reply.get("n")?.value;

describe("the number of documents", () => {
  test("the first unfiltered count after a start runs in slices and includes what others write meanwhile", async (t) => {
    const { store, run } = await reopen(t);
    const place = fc.nat(2 * documents);
    const write = fc.record({ isDelete: fc.boolean(), id: place, steps: fc.nat(2) });
    fc.assert(
      fc.property(fc.array(write, { maxLength: 12 }), (writes) => {
        store.catalog.reload();
        const count = start(store, () => doc({ count: "items", $db: "counts" }));
        let step = count.next();
        assert.equal(step.done, false, "others run before everything is counted");
        for (const { isDelete, id, steps } of writes) {
          if (isDelete) run({ delete: "items", deletes: [{ q: { _id: id }, limit: 1 }] });
          else run({ insert: "items", documents: [{ _id: id }] });
          for (let i = 0; i < steps && !step.done; i++) step = count.next();
        }
        const left = numberIn(run({ count: "items", query: { _id: { $gte: 0 } } }));
        while (!step.done) step = count.next();
        assert.equal(numberIn(run({ count: "items" })), left);
      }),
      { numRuns: 50 },
    );
  });

  test("a start counts all collections in the background, so that a count reads nothing", async (t) => {
    const { store, run } = await reopen(t);
    runToEnd(countCollections(store));
    const statement = vi.spyOn(store.database, "statement");
    assert.equal(numberIn(run({ count: "items" })), documents);
    assert.equal(numberIn(run({ count: "items", skip: 1, limit: 5 })), 5);
    assert.equal(statement.mock.calls.length, 0);
  });
});
