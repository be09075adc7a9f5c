import assert from "node:assert/strict";
import { ManualClock } from "@muster/service";
import { temporaryDirectory } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { openStore } from "../open-store.ts";
import { MemoryPool } from "../query/memory.ts";
import { noDocuments } from "../query/source.ts";

const minuteMs = 60_000;

async function open(t: TestContext) {
  const clock = new ManualClock();
  const store = openStore(await temporaryDirectory(t), () => clock.now());
  t.onTestFinished(() => store.database.close());
  return { clock, store };
}

const cursor = {
  namespace: "a.b",
  source: noDocuments,
  present: (content: Buffer) => content,
  memory: new MemoryPool().open(),
  client: undefined,
};

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
