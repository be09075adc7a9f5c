import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { Progress } from "./progress.ts";

test("reading restarts at the first unfinished event and repeats no finished one", () => {
  const progress = new Progress();
  progress.startAfter(10);
  assert.equal(progress.next, 11);
  for (const sequence of [12, 15, 17]) progress.received(sequence);
  progress.done(15);
  assert.equal(progress.next, 12);
  assert.deepEqual(
    [12, 15, 17, 18].map((sequence) => progress.isDone(sequence)),
    [false, true, false, false],
  );
  progress.done(12);
  assert.equal(progress.next, 17);
  progress.done(17);
  assert.equal(progress.next, 18);
});

test("no open event is skipped and no finished one repeated, whatever the order of arrival and completion", () => {
  const step = fc.tuple(fc.constantFrom("received", "done"), fc.integer({ min: 1, max: 20 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const progress = new Progress();
      const open = new Set<number>();
      const done = new Set<number>();
      for (const [action, sequence] of steps) {
        if (action === "received" && !progress.isDone(sequence)) {
          progress.received(sequence);
          open.add(sequence);
        } else if (action === "done" && open.delete(sequence)) {
          progress.done(sequence);
          done.add(sequence);
        }
        for (const each of open) assert.ok(each >= progress.next && !progress.isDone(each));
        for (const each of done) assert.ok(progress.isDone(each));
      }
    }),
  );
});

test("a stream that starts again is read from its beginning", () => {
  const progress = new Progress();
  progress.startAfter(10);
  progress.received(11);
  progress.restart();
  assert.equal(progress.next, 1);
  assert.equal(progress.isDone(1), false);
});

test("an event that stays open does not slow down later ones", () => {
  const progress = new Progress();
  progress.received(1);
  // A search among the later events for each of them would outlast the test's timeout.
  for (let sequence = 2; sequence <= 1_000_000; sequence++) {
    progress.received(sequence);
    progress.done(sequence);
  }
  assert.equal(progress.next, 1);
  progress.done(1);
  assert.equal(progress.next, 1_000_001);
});
