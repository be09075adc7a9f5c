import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test, vi } from "vitest";
import { Pace } from "../pace.ts";
import { MemoryPool, type MemoryShare, maxCommandBytes, maxTotalBytes } from "./memory.ts";
import { Sorter } from "./sorter.ts";

const kib = 1024;

/** Sorts the keys, with pauses wherever the sorter allows them. */
function sort(keys: readonly number[], limit: number, memory: MemoryShare): { key: number; row: number }[] {
  const pace = new Pace();
  vi.spyOn(pace, "isOver").mockReturnValue(true);
  const sorter = new Sorter(limit, pace, memory);
  for (const [row, key] of keys.entries()) {
    const bytes = Buffer.from([key]);
    if (!sorter.add(bytes, { content: bytes, row })) while (!sorter.tidy());
  }
  const sorted: { key: number; row: number }[] = [];
  const take = ({ content, row }: { content: Buffer; row: number }) =>
    sorted.push({ key: content[0] ?? -1, row }) < limit;
  while (sorter.emit(take) === "paused");
  return sorted;
}

describe("the sorter", () => {
  test("any input is sorted like by a stable sort, with and without a limit", () => {
    const keys = fc.array(fc.nat(255), { maxLength: 5000, size: "max" });
    const limit = fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 1, max: 3000 }));
    fc.assert(
      fc.property(keys, limit, (input, keep) => {
        const expected = input
          .map((key, row) => ({ key, row }))
          .sort((a, b) => a.key - b.key)
          .slice(0, keep);
        assert.deepEqual(sort(input, keep, new MemoryPool().open()), expected);
      }),
      { numRuns: 30 },
    );
  });

  test("a sort with a limit does not keep its whole input", () => {
    const pool = new MemoryPool();
    sort(
      Array.from({ length: 100_000 }, (_, i) => (i * 7) % 256),
      10,
      pool.open(),
    );
    assert.ok(pool.bytes < 400 * kib, `${pool.bytes} bytes`);
  });
});

describe("memory", () => {
  test("one command cannot use more than its limit", () => {
    const memory = new MemoryPool().open();
    memory.take(maxCommandBytes, "Sort");
    assert.throws(() => memory.take(1, "Sort"), {
      codeName: "QueryExceededMemoryLimitNoDiskUseAllowed",
      message: /^Sort exceeded memory limit of 104857600 bytes; /,
    });
  });

  test("all commands together cannot use more than the total, and a command that ends makes its part available", () => {
    const pool = new MemoryPool();
    const shares = Array.from({ length: 4 }, () => pool.open());
    for (const share of shares) share.take(maxTotalBytes / 4, "Query");
    const late = pool.open();
    assert.throws(() => late.take(1, "Query"), { message: /for all commands together/ });
    late.release();
    shares[0]?.release();
    pool.open().take(maxTotalBytes / 4, "Query");
    assert.equal(pool.bytes, maxTotalBytes);
  });

  test("memory stays in use as long as a cursor retains it", () => {
    const pool = new MemoryPool();
    const share = pool.open();
    share.take(100, "Sort");
    share.retain();
    share.release();
    assert.equal(pool.bytes, 100);
    share.release();
    assert.equal(pool.bytes, 0);
  });
});
