import assert from "node:assert/strict";
import { principalLifetimeMs } from "@muster/rpc";
import fc from "fast-check";
import { describe, test } from "vitest";
import { defaultTimings } from "../../config.ts";
import { PollSchedule } from "./poll-schedule.ts";

const { leaseMs, renewEveryMs, pollEventsEveryMs } = defaultTimings;
const maxJitterMs = 100;

interface Holder {
  /** When the reader arrives, after the lease was taken. */
  fromMs: number;
  /** When the process dies. Infinity: never. */
  diesAtMs: number;
  /** How far the clock of the holder is ahead of the reader's. */
  skewMs?: number;
  /** How late it renews. */
  lateMs?: number;
}

/** When the reader reads, up to the first read at which the lease has expired, or to `toMs`. */
function readsOf(
  { fromMs, diesAtMs, skewMs = 0, lateMs = 0 }: Holder,
  random: () => number,
  toMs = Number.POSITIVE_INFINITY,
) {
  let nowMs = fromMs;
  const schedule = new PollSchedule(defaultTimings, { now: () => nowMs, random });
  const reads: number[] = [];
  const untilMs = () => {
    const renewals = Math.max(0, Math.floor((Math.min(nowMs, diesAtMs) - lateMs) / renewEveryMs));
    return renewals * renewEveryMs + leaseMs + skewMs;
  };
  for (;;) {
    reads.push(nowMs);
    const leftMs = untilMs() - nowMs;
    if (leftMs <= 0 || nowMs >= toMs) return { reads, untilMs: untilMs() };
    nowMs += schedule.next({ untilMs: untilMs(), leftMs });
  }
}

const randoms = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));

describe("how often a reader of another instance's turn reads the store", () => {
  test("whenever the process dies, the reader sees the end of its lease as soon as a reader that never slows down", () => {
    const holders = fc.record({
      fromMs: fc.integer({ min: 0, max: 3 * leaseMs }),
      diesAtMs: fc.integer({ min: 0, max: 3 * leaseMs }),
      skewMs: fc.integer({ min: -5_000, max: 60_000 }),
    });
    fc.assert(
      fc.property(holders, randoms, (holder, stream) => {
        const { reads, untilMs } = readsOf(holder, () => Number(stream.next().value));
        const lateMs = (reads.at(-1) ?? 0) - Math.max(untilMs, holder.fromMs);
        assert.ok(lateMs <= pollEventsEveryMs, `${lateMs} ms`);
        const pauses = reads.slice(1).map((readMs, index) => readMs - (reads[index] ?? 0));
        // A thousandth more, for the rounding of sums.
        const slowest = Math.max(renewEveryMs, pollEventsEveryMs) + maxJitterMs + 0.001;
        assert.ok(pauses.every((pauseMs) => pauseMs > 0 && pauseMs <= slowest));
      }),
    );
  });

  test("a reader that waits for the lease of a dead process reads less than half as often as it would at the usual pace", () => {
    const { reads } = readsOf({ fromMs: 0, diesAtMs: 0 }, () => 0.5);
    assert.ok(reads.length < leaseMs / pollEventsEveryMs / 2, `${reads.length} reads`);
  });

  test("a process that renews its lease is read at the usual pace, however late it is within an interval", () => {
    const holders = fc.record({
      fromMs: fc.integer({ min: 0, max: leaseMs }),
      diesAtMs: fc.constant(Number.POSITIVE_INFINITY),
      skewMs: fc.integer({ min: 0, max: 60_000 }),
      lateMs: fc.integer({ min: 0, max: renewEveryMs / 2 }),
    });
    fc.assert(
      fc.property(holders, (holder) => {
        const { reads } = readsOf(holder, () => 0.5, holder.fromMs + 2 * leaseMs);
        for (const [index, readMs] of reads.entries()) {
          if (index > 0) assert.equal(readMs - (reads[index - 1] ?? 0), pollEventsEveryMs);
        }
      }),
    );
  });

  test("a process that was only suspended is read at the usual pace again once it has renewed its lease", () => {
    let nowMs = 0;
    const schedule = new PollSchedule(defaultTimings, { now: () => nowMs, random: () => 0.5 });
    const lease = { untilMs: leaseMs, leftMs: leaseMs };
    schedule.next(lease);
    nowMs = leaseMs / 2;
    assert.ok(schedule.next(lease) > pollEventsEveryMs);
    assert.equal(schedule.next({ ...lease, untilMs: leaseMs + 1 }), pollEventsEveryMs);
    nowMs *= 2;
    assert.ok(schedule.next({ ...lease, untilMs: leaseMs + 1 }) > pollEventsEveryMs);
    assert.equal(schedule.next(), pollEventsEveryMs);
  });

  test("the signature of a reader's call outlasts the wait for a lease: who adopts the turn asks other services with it", () => {
    const oldestMs = principalLifetimeMs / 2;
    assert.ok(oldestMs + leaseMs < principalLifetimeMs);
  });
});
