import assert from "node:assert/strict";
import { temporaryDirectory } from "@muster/testing";
import fc from "fast-check";
import { describe, type TestContext, test, vi } from "vitest";
import { doc, type PlainFields } from "../bson/plain.ts";
import { anyValue } from "../bson/testing/arbitrary.ts";
import { array, Doc, int32, List, string, type Value } from "../bson/value.ts";
import { changedElements } from "../query/array-changes.ts";
import { documentKeys, type KeyField } from "../query/keys.ts";
import { openStore } from "../store.ts";
import { parseUpdate } from "../update/parse.ts";
import { applyUpdate } from "../update/update-one.ts";
import { parseIndexSpec } from "./index-spec.ts";
import { IndexTable } from "./index-table.ts";
import { keyChanges } from "./key-changes.ts";

const value = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 4 }).map(int32) },
  { weight: 1, arbitrary: anyValue },
);
const list = fc.array(value, { maxLength: 12 }).map((items) => array(new List(items)));
const content = fc.record({
  tags: fc.oneof({ weight: 9, arbitrary: list }, value),
  a: fc.oneof(value, list),
});
const change = fc.oneof(
  value.map((item) => doc({ $push: { tags: item } })),
  fc.array(value, { maxLength: 4 }).map((items) => {
    const $each = array(new List(items));
    return doc({ $push: { tags: { $each, $position: 1, $slice: 10 } } });
  }),
  fc.integer({ min: 0, max: 4 }).map((item) => doc({ $pull: { tags: item } })),
  value.map((item) => doc({ $set: { "tags.1": item } })),
  value.map((item) => doc({ $set: { tags: item } })),
  fc.tuple(value, value).map(([item, a]) => doc({ $push: { tags: item }, $set: { a } })),
);
const keyPattern = fc.constantFrom<PlainFields>(
  { tags: 1 },
  { tags: -1 },
  { a: 1, tags: 1 },
  { tags: 1, a: -1 },
);

/** The hexadecimal keys; undefined if the document cannot be indexed. */
function keysOf(content: Doc, fields: readonly KeyField[]): string[] | undefined {
  try {
    return documentKeys(content, fields).keys.map((key) => key.toString("hex"));
  } catch {
    return undefined;
  }
}

function apply(before: Doc, update: Doc): Doc {
  try {
    return applyUpdate(before, parseUpdate({ type: 3, value: update }, 0));
  } catch {
    return before;
  }
}

async function openIndex(t: TestContext) {
  const store = openStore(await temporaryDirectory(t));
  t.onTestFinished(() => {
    store.database.rollback();
    store.database.close();
  });
  const spec = parseIndexSpec(doc({ key: { tags: 1 }, name: "tags" }));
  store.database.begin();
  IndexTable.create(store.database, "index_1000", spec);
  return new IndexTable(store.database, 1000, spec, [false]);
}

describe("the changes of an index over an array", () => {
  test("the entries of an array that changed in a few elements are those that complete lists of both differ in", () => {
    let used = 0;
    fc.assert(
      fc.property(content, change, keyPattern, (fieldsBefore, update, key) => {
        const { fields } = parseIndexSpec(doc({ key, name: "index" }));
        const before = doc(fieldsBefore);
        const after = apply(before, update);
        const [old, now] = [keysOf(before, fields), keysOf(after, fields)];
        if (!old || !now) return;
        const changed = changedElements(before, after, fields, 100);
        if (!changed) return;
        used++;
        const hex = (keys: readonly Buffer[]) => keys.map((each) => each.toString("hex")).sort();
        assert.deepEqual(hex(changed.added), now.filter((each) => !old.includes(each)).sort());
        assert.deepEqual(hex(changed.removed), old.filter((each) => !now.includes(each)).sort());
      }),
      { numRuns: 2000 },
    );
    assert.ok(used > 500, `${used} changes were compared`);
  });

  test("a $push to 5,000 indexed elements does not compute the keys of all of them", async (t) => {
    const index = await openIndex(t);
    const tags: Value[] = Array.from({ length: 5000 }, (_, i) => string(`tag-${i}`));
    const before = new Doc([["tags", array(new List(tags))]]);
    const keys = vi.spyOn(index, "keysOf");
    const after = apply(before, doc({ $push: { tags: "new" } }));
    assert.equal(keyChanges(index, before, after).added.length, 1);
    assert.equal(keys.mock.calls.length, 0);
  });

  test("an array that grows beyond the limit of keys by one element is refused", async (t) => {
    const index = await openIndex(t);
    const tags: Value[] = Array.from({ length: 20_000 }, (_, i) => int32(i));
    const before = new Doc([["tags", array(new List(tags))]]);
    const after = apply(before, doc({ $push: { tags: -1 } }));
    assert.throws(() => keyChanges(index, before, after), /20000/);
  });
});
