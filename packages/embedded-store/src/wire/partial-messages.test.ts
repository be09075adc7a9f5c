import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { PartialMessages } from "./partial-messages.ts";

const mb = 1_000_000;

function openAll(maxBytes: number, names: readonly string[]) {
  const dropped: string[] = [];
  const messages = new PartialMessages(maxBytes);
  const open = names.map((name) => messages.open(() => dropped.push(name)));
  return { dropped, set: (i: number, bytes: number) => open[i]?.set(bytes) };
}

describe("incomplete messages", () => {
  test("of large incomplete messages, those are dropped that have not grown for the longest time", () => {
    const { dropped, set } = openAll(10 * mb, ["a", "b", "c"]);
    set(0, 4 * mb);
    set(1, 4 * mb);
    set(0, 5 * mb);
    assert.deepEqual(dropped, []);
    set(2, 4 * mb);
    assert.deepEqual(dropped, ["b"]);
    set(2, 8 * mb);
    assert.deepEqual(dropped, ["b", "a"]);
  });

  test("a complete message and one whose connection has closed occupy no memory", () => {
    const { dropped, set } = openAll(10 * mb, ["a", "b"]);
    set(0, 9 * mb);
    set(0, 0);
    set(1, 9 * mb);
    assert.deepEqual(dropped, []);
  });

  test("a single message may be larger than the bound", () => {
    const { dropped, set } = openAll(10 * mb, ["a", "b"]);
    set(0, 20 * mb);
    set(0, 30 * mb);
    set(1, 1000);
    assert.deepEqual(dropped, []);
  });
});
