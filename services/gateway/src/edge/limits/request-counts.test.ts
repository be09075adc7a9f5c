import assert from "node:assert/strict";
import { createLogger, ManualClock, silentLogger } from "@muster/service";
import fc from "fast-check";
import { describe, test } from "vitest";
import { RequestCounts, type ShareCounts } from "./request-counts.ts";

/** The counters that gateways share, which can hang, fail, and are counted themselves. */
class Store {
  readonly totals = new Map<string, number>();
  calls = 0;
  isDown = false;

  readonly share: ShareCounts = async (counts) => {
    this.calls++;
    await Promise.resolve();
    if (this.isDown) throw new Error("the store is down");
    const totals = counts.map(({ bucket, added }) => {
      const total = (this.totals.get(bucket) ?? 0) + added;
      this.totals.set(bucket, total);
      return total;
    });
    await Promise.resolve();
    return { totals, remainingMs: 60_000 };
  };
}

function gateways(count: number, store: Store, clock = new ManualClock()): RequestCounts[] {
  return Array.from(
    { length: count },
    () => new RequestCounts({ clock, log: silentLogger, share: store.share }),
  );
}

describe("counting requests together", () => {
  test("several gateways admit the limit, and at most a twentieth of it more for each of them", async () => {
    const limits = fc.integer({ min: 1, max: 400 });
    const requests = fc.array(fc.tuple(fc.nat({ max: 3 }), fc.integer({ min: 1, max: 40 })), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(limits, requests, async (limit, bursts) => {
        const all = gateways(4, new Store());
        let admitted = 0;
        let asked = 0;
        for (const [index, size] of bursts) {
          asked += size;
          const counts = all[index];
          assert.ok(counts);
          const verdicts = Array.from({ length: size }, () => counts.take("b", limit));
          admitted += (await Promise.all(verdicts)).filter(({ isAllowed }) => isAllowed).length;
        }
        const credit = Math.max(1, Math.floor(limit / 20));
        assert.ok(admitted >= Math.min(asked, limit), `${admitted} of ${asked} with the limit ${limit}`);
        assert.ok(admitted <= limit + 4 * credit, `${admitted} of ${asked} with the limit ${limit}`);
      }),
    );
  });

  test("a minute later the count begins again, and a late response of the previous minute changes nothing", async () => {
    const clock = new ManualClock();
    const release = Promise.withResolvers<void>();
    const share: ShareCounts = async (counts) => {
      await release.promise;
      return { totals: counts.map(() => 1_000), remainingMs: 60_000 };
    };
    const counts = new RequestCounts({ clock, log: silentLogger, share });
    assert.equal((await counts.take("b", 20)).isAllowed, true);
    clock.advance(60_000);
    const later = counts.take("b", 40);
    release.resolve();
    assert.equal((await later).isAllowed, true);
    assert.equal(counts.used("b").count, 1);
  });

  test("the verdict says how many requests are left and when the count begins again", async () => {
    const clock = new ManualClock();
    const counts = new RequestCounts({ clock, log: silentLogger });
    assert.deepEqual(await counts.take("b", 2), { isAllowed: true, limit: 2, remaining: 1, resetMs: 60_000 });
    clock.advance(1_000);
    assert.deepEqual(await counts.take("b", 2), { isAllowed: true, limit: 2, remaining: 0, resetMs: 59_000 });
    assert.deepEqual(await counts.take("b", 2), {
      isAllowed: false,
      limit: 2,
      remaining: 0,
      resetMs: 59_000,
    });
    clock.advance(59_000);
    assert.equal((await counts.take("b", 2)).isAllowed, true);
  });

  test("the first verdict of a shared count says when the minute ends", async () => {
    const clock = new ManualClock();
    const [counts] = gateways(1, new Store(), clock);
    clock.advance(45_000);
    assert.equal((await counts?.take("b", 100))?.resetMs, 15_000);
  });

  test("requests below the limit cost one call for every fortieth of it at most, and refused ones none", async () => {
    const store = new Store();
    const [counts] = gateways(1, store);
    assert.ok(counts);
    for (let n = 0; n < 4_000; n++) await counts.take("b", 4_000);
    assert.ok(store.calls <= 41, String(store.calls));
    const before = store.calls;
    for (let n = 0; n < 1_000; n++) assert.equal((await counts.take("b", 4_000)).isAllowed, false);
    assert.ok(store.calls <= before + 1, String(store.calls));
  });

  test("while the store is down, no request waits or is refused for it, each gateway counts for itself, and one line says so", async () => {
    const store = new Store();
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const log = createLogger({ name: "test", level: "info", destination });
    const clock = new ManualClock();
    const counts = new RequestCounts({ clock, log, share: store.share });
    store.isDown = true;
    const admitted: boolean[] = [];
    for (let n = 0; n < 8; n++) {
      clock.advance(1_001);
      admitted.push((await counts.take("b", 6)).isAllowed);
    }
    assert.deepEqual(admitted, [true, true, true, true, true, true, false, false]);
    assert.equal(lines.length, 1, lines.join("\n"));
    assert.match(lines[0] ?? "", /"level":40.*each counts for itself/);
    store.isDown = false;
    clock.advance(60_000);
    for (let n = 0; n < 3; n++) await counts.take("b", 6);
    await counts.close();
    assert.match(lines[1] ?? "", /together with other gateways again/);
  });

  test("a hundred thousand buckets take no more memory than ten thousand", async () => {
    const counts = new RequestCounts({ clock: new ManualClock(), log: silentLogger, maxBuckets: 3 });
    for (let n = 0; n < 1_000; n++) await counts.take(`b${n}`, 1);
    assert.equal((await counts.take("b999", 1)).isAllowed, false);
    assert.equal((await counts.take("b0", 1)).isAllowed, true, "forgotten");
  });

  test("a request whose count was dropped for those of too many others does not wait for it", async () => {
    const sharing = Promise.withResolvers<void>();
    let asked = 0;
    const clock = {
      now: () => 1_000,
      monotonicMs: () => {
        if (++asked > 1_000_000) throw new Error("It never stops waiting.");
        return 1_000;
      },
    };
    const share: ShareCounts = async (counts) => {
      await sharing.promise;
      return { totals: counts.map(() => 1), remainingMs: 60_000 };
    };
    const counts = new RequestCounts({ clock, log: silentLogger, share });
    counts.add("first");
    for (let n = 0; n < 5; n++) void counts.take("project", 100);
    for (let n = 0; n < 6_000; n++) counts.add(`failures:${n}`);
    const waiting = counts.take("project", 100);
    assert.ok(waiting instanceof Promise);
    for (let n = 6_000; n < 10_001; n++) counts.add(`failures:${n}`);
    sharing.resolve();
    assert.deepEqual(await waiting, { isAllowed: true, limit: 100, remaining: 94, resetMs: 59_000 });
    await counts.close();
  });
});
