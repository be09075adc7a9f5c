import assert from "node:assert/strict";
import { ManualClock } from "@muster/service";
import { test } from "vitest";
import { createInOrder } from "../store/in-order.ts";
import { changeMetadata, type MetadataDependencies } from "./update-session.ts";

const key = { projectId: "prj_1", sessionId: "ses_1" };

/** A store with one session. Another instance changes its metadata before the first `collisions` writes. */
function startWith(collisions = 0) {
  let metadata: string[] = [];
  let left = collisions;
  const calls = { reads: 0, writes: 0 };
  const deps: MetadataDependencies = {
    store: {
      findMetadata: async () => {
        calls.reads += 1;
        return { agentId: "agt_1", status: "active", expiresAt: null, metadata };
      },
      describe: async (_key, before, after) => {
        calls.writes += 1;
        if (left-- > 0) metadata = [JSON.stringify(["other", String(left)])];
        if (before !== metadata) return false;
        metadata = after;
        return true;
      },
    },
    clock: new ManualClock(),
    inOrder: createInOrder(),
  };
  return { deps, calls, stored: () => Object.fromEntries(metadata.map((entry) => JSON.parse(entry))) };
}

test("a burst of changes to one session on one instance costs each of them one read and one write", async () => {
  const { deps, calls, stored } = startWith();
  const keys = Array.from({ length: 200 }, (_, index) => `key-${index % 10}`);
  await Promise.all(keys.map((name, index) => changeMetadata(deps, key, { [name]: String(index) })));
  assert.deepEqual(calls, { reads: 200, writes: 200 });
  assert.deepEqual(Object.values(stored()), [
    "190",
    "191",
    "192",
    "193",
    "194",
    "195",
    "196",
    "197",
    "198",
    "199",
  ]);
});

test("a change that collides with another instance's pauses before each new try", async () => {
  const { deps, calls, stored } = startWith(3);
  const paused: number[] = [];
  await changeMetadata(deps, key, { plan: "paid" }, { pause: async (attempt) => void paused.push(attempt) });
  assert.deepEqual(paused, [0, 1, 2]);
  assert.deepEqual(calls, { reads: 4, writes: 4 });
  assert.deepEqual(stored(), { other: "0", plan: "paid" });
});

test("a change that fails does not delay the next one, and one whose caller has left is not made", async () => {
  const { deps, stored } = startWith();
  const tooMany = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`key-${index}`, "x"]));
  const outcomes = await Promise.allSettled([
    changeMetadata(deps, key, tooMany),
    changeMetadata(deps, key, { plan: "free" }, { signal: AbortSignal.abort() }),
    changeMetadata(deps, key, { plan: "paid" }),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "rejected", "fulfilled"],
  );
  assert.deepEqual(stored(), { plan: "paid" });
});
