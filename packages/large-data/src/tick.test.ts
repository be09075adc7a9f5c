import assert from "node:assert/strict";
import { setImmediate as immediate } from "node:timers/promises";
import { afterEach, beforeEach, test, vi } from "vitest";
import { claimTick, inFreeTick, isTickSpent, nextTurn } from "./pause.ts";

/** Only work takes time. */
let nowMs = 0;
/** The time that each tick took. */
let ticksMs: number[] = [];
let marker: NodeJS.Immediate;

beforeEach(() => {
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  ticksMs = [];
  let beforeMs = nowMs;
  const mark = () => {
    ticksMs.push(nowMs - beforeMs);
    beforeMs = nowMs;
    marker = setImmediate(mark);
  };
  marker = setImmediate(mark);
});

afterEach(() => clearImmediate(marker));

test("work that many do between pauses spreads over ticks, and each has its turn", async () => {
  const turns: number[] = [];
  const workers = Array.from({ length: 50 }, async (_, worker) => {
    for (let turn = 0; turn < 3; turn++) {
      await nextTurn();
      // Callers are async functions, so that they act some promises later.
      await Promise.resolve().then(() => undefined);
      nowMs += 4;
      turns.push(worker);
    }
  });
  await Promise.all(workers);
  assert.ok(Math.max(...ticksMs) <= 16, `a tick of ${Math.max(...ticksMs)} ms`);
  assert.deepEqual(
    turns.slice(0, 50).toSorted((a, b) => a - b),
    workers.map((_, worker) => worker),
  );
});

test("a tick that has time does all the work that waits", async () => {
  const pauses = Array.from({ length: 1_000 }, () => nextTurn());
  const before = ticksMs.length;
  await Promise.all(pauses);
  assert.ok(ticksMs.length - before <= 4, `${ticksMs.length - before} ticks`);
});

test("work after a spent tick waits for the next one, behind what waits already", async () => {
  const done: string[] = [];
  await nextTurn();
  inFreeTick(() => {
    nowMs += 20;
    done.push("long");
  });
  assert.ok(isTickSpent());
  const second = new Promise<void>((resolve) => {
    inFreeTick(() => void done.push("first"));
    inFreeTick(() => resolve(void done.push("second")));
  });
  assert.deepEqual(done, ["long"]);
  await second;
  assert.deepEqual(done, ["long", "first", "second"]);
  assert.ok(!isTickSpent());
});

test("a tick stays spent until its last immediate, and the next one has time", async () => {
  await immediate();
  inFreeTick(spend);
  await Promise.resolve();
  assert.ok(isTickSpent());
  await immediate();
  assert.ok(!isTickSpent());
});

test("new work does not overtake what waits for a tick", async () => {
  await immediate();
  await immediate();
  inFreeTick(spend);
  const waited = new Promise<void>((resolve) => inFreeTick(resolve));
  assert.ok(!claimTick());
  await waited;
  await immediate();
  assert.ok(claimTick());
});

function spend(): void {
  nowMs += 20;
}
