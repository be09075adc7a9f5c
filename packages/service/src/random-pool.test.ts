import assert from "node:assert/strict";
import { test } from "vitest";
import { createRandomPool } from "./random-pool.ts";

test("random bytes are returned only once and never change afterwards", () => {
  const random = createRandomPool(64);
  const taken = Array.from({ length: 1_000 }, () => random(20));
  const texts = taken.map((bytes) => Buffer.from(bytes).toString("hex"));
  assert.equal(new Set(texts).size, 1_000);
  assert.deepEqual(
    taken.map((bytes) => Buffer.from(bytes).toString("hex")),
    texts,
  );
  assert.ok(taken.every(({ length }) => length === 20));
});
