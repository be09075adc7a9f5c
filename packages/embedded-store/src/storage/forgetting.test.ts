import assert from "node:assert/strict";
import { ManualClock } from "@muster/service";
import { temporaryDirectory } from "@muster/testing";
import { describe, type TestContext, test, vi } from "vitest";
import { doc } from "../bson/plain.ts";
import { MemoryPool } from "../query/memory.ts";
import { fromMemory } from "../query/source.ts";
import { runToEnd } from "../steps.ts";
import { openStore } from "../store.ts";

const minuteMs = 60_000;

async function open(t: TestContext) {
  const clock = new ManualClock();
  const store = openStore(await temporaryDirectory(t), () => clock.now());
  t.onTestFinished(() => store.database.close());
  return { clock, store };
}

const cursor = {
  namespace: "a.b",
  source: fromMemory([]),
  present: (content: Buffer) => content,
  memory: new MemoryPool().open(),
  client: undefined,
};

describe("expiry", () => {
  test("a cursor expires after ten idle minutes", async (t) => {
    const { clock, store } = await open(t);
    const [idle, used] = [store.cursors.add(cursor), store.cursors.add(cursor)];
    clock.advance(6 * minuteMs);
    assert.ok(store.cursors.get(used));
    clock.advance(6 * minuteMs);
    store.cursors.removeIdle();
    assert.equal(store.cursors.get(idle), undefined);
    assert.ok(store.cursors.get(used));
  });

  test("the reply to a write expires after half an hour or with its session", async (t) => {
    const { clock, store } = await open(t);
    const [old, ended, fresh] = ["old", "ended", "fresh"].map((name) => Buffer.from(name));
    assert.ok(old && ended && fresh);
    store.database.begin();
    store.retries.record(old, 1n, doc({ n: 1 }));
    clock.advance(31 * minuteMs);
    store.retries.record(ended, 1n, doc({ n: 2 }));
    store.retries.record(fresh, 5n, doc({ n: 3 }));
    store.retries.remove(ended);
    runToEnd(store.retries.removeOld());
    assert.equal(store.retries.find(old, 1n), undefined);
    assert.equal(store.retries.find(ended, 1n), undefined);
    assert.equal(store.retries.find(fresh, 5n)?.reply?.get("n")?.value, 3);
    assert.equal(store.retries.find(fresh, 6n), undefined);
    assert.throws(() => store.retries.find(fresh, 4n), { codeName: "TransactionTooOld" });
  });

  test("old replies are searched in slices, and only if one may have expired", async (t) => {
    const { clock, store } = await open(t);
    store.database.begin();
    for (let i = 0; i < 500; i++) store.retries.record(Buffer.from(`session-${i}`), 1n, doc({ n: 1 }));
    const statement = vi.spyOn(store.database, "statement");
    const isRead = () => {
      statement.mockClear();
      runToEnd(store.retries.removeOld());
      return statement.mock.calls.length > 0;
    };
    assert.deepEqual([isRead(), isRead()], [true, false]);
    clock.advance(29 * minuteMs);
    assert.equal(isRead(), false);
    clock.advance(2 * minuteMs);
    vi.spyOn(store.database.pace, "isOver").mockReturnValue(true);
    assert.equal(store.retries.removeOld().next().done, false, "others run before everything is read");
    assert.equal(isRead(), true);
    assert.equal(store.retries.find(Buffer.from("session-499"), 1n), undefined);
  });
});
