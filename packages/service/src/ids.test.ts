import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { createIds, createRandomPool, timeOfId } from "./ids.ts";

test("later ids sort after earlier ones", () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 46 }), fc.integer({ min: 1, max: 2 ** 40 }), (startMs, laterByMs) => {
      let nowMs = startMs;
      const newId = createIds(() => nowMs);
      const earlier = newId("ses");
      nowMs += laterByMs;
      assert.ok(earlier < newId("ses"));
    }),
  );
});

test("an id has its prefix, is safe in a URL and contains 100 random bits", () => {
  const id = createIds()("msg");
  assert.match(id, /^msg_[0-9a-hjkmnp-tv-z]{30}$/);
});

test("ids generated in the same millisecond differ by their random part", () => {
  const newId = createIds(() => 1);
  const ids = new Set(Array.from({ length: 10_000 }, () => newId("evt")));
  assert.equal(ids.size, 10_000);
});

test("the time of an id is that of its generation; other texts have none", () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 48 }), (nowMs) => {
      assert.equal(timeOfId(createIds(() => nowMs)("evt")), nowMs);
    }),
  );
  for (const text of ["", "evt_", "evt_1", "__proto__", `evt_${"u".repeat(30)}`, `x evt_${"0".repeat(30)}`])
    assert.equal(timeOfId(text), undefined, text);
});

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
