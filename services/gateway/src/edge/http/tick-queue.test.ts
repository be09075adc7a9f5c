import assert from "node:assert/strict";
import { setImmediate as immediate } from "node:timers/promises";
import { beforeEach, test, vi } from "vitest";
import { TickQueue } from "./spread-requests.ts";

/** Only work takes time. */
let nowMs = 0;
let tick = 0;

beforeEach(async () => {
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  // The tick of the test before has ended.
  await immediate();
  await immediate();
});

/** Runs work of 8 ms for each name, all in one moment. Resolves with the ticks in which it was done, by name. */
async function runAll(names: readonly string[]): Promise<Array<[name: string, tick: number]>> {
  const queue = new TickQueue();
  const done: Array<[string, number]> = [];
  let isOver = false;
  const count = () => {
    tick += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(
    names.map(async (name) => {
      const [owner = "", member = ""] = name.split("/");
      await queue.run(owner, member, () => {
        nowMs += 8;
        done.push([name, tick]);
      });
    }),
  );
  isOver = true;
  return done;
}

test("work that arrives in one moment spreads over ticks", async () => {
  const done = await runAll(Array.from({ length: 20 }, () => "a"));
  const perTick = Map.groupBy(done, ([, at]) => at);
  assert.ok(Math.max(...[...perTick.values()].map((each) => each.length)) <= 2, JSON.stringify(done));
});

test("owners take turns, and so do the members of an owner", async () => {
  const done = await runAll([...Array.from({ length: 10 }, () => "a/x"), "a/y", "b/z"]);
  const names = done.map(([name]) => name);
  assert.ok(names.indexOf("b/z") <= 4 && names.indexOf("a/y") <= 5, names.join());
});

test("work for which the tick has time is done at once", () => {
  assert.equal(
    new TickQueue().run("a", "", () => 1),
    1,
  );
});

test("work that throws fails alone", async () => {
  const queue = new TickQueue();
  const outcomes = await Promise.allSettled(
    [1, 2, 3, 4].map(async (number) =>
      queue.run("a", "", () => {
        nowMs += 20;
        if (number % 2 === 0) throw new Error("bad");
        return number;
      }),
    ),
  );
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled", "rejected"],
  );
});
