import assert from "node:assert/strict";
import { test } from "vitest";
import { chunkId, type ReadChunk } from "../../store/chunk-store.ts";
import { readBackwards, readForwards } from "./archived-messages.ts";
import { endOf, type Head } from "./head.ts";

const key = { projectId: "prj_1", sessionId: "ses_1" };

/** The chunks in a store; each message is its position. */
function chunksAt(...extents: Array<[gen: string, first: number, end: number]>) {
  const all: ReadChunk[] = extents.map(([gen, first, end]) => ({
    _id: chunkId(key.sessionId, gen, first, end),
    first,
    count: end - first,
    shownIds: [],
    messages: JSON.stringify(Array.from({ length: end - first }, (_, n) => `${gen}${first + n}`)),
  }));
  all.sort((one, other) => (one._id < other._id ? 1 : -1));
  return {
    before: async (_key: unknown, { gen }: { gen: string }, id: string) =>
      all.filter(({ _id }) => _id < id && _id.startsWith(`${key.sessionId}:${gen}:`)).slice(0, 2),
    from: async (_key: unknown, { gen }: { gen: string }, id: string) =>
      all
        .filter(({ _id }) => _id > id && _id.startsWith(`${key.sessionId}:${gen}:`))
        .reverse()
        .slice(0, 2),
  };
}

async function read(chunks: ReturnType<typeof chunksAt>, head: Head, from: number, to: number) {
  const passages: unknown[] = [];
  for await (const { text } of readBackwards(chunks, key, head, { from, to }))
    passages.unshift(...JSON.parse(text));
  return passages;
}

async function readAll(chunks: ReturnType<typeof chunksAt>, head: Head, from = 0, to = endOf(head)) {
  const passages: unknown[] = [];
  for await (const { text } of readForwards(chunks, key, head, { from, to }))
    passages.push(...JSON.parse(text));
  return passages;
}

const range = (gen: string, from: number, to: number) => ({ gen, from, to, bytes: 0 });

test("archived messages are read from any position to any other, across chunks and generations", async () => {
  const chunks = chunksAt(["a", 0, 3], ["a", 3, 7], ["a", 7, 9], ["b", 5, 8], ["b", 8, 12]);
  const head = [range("a", 0, 5), range("b", 5, 12)];
  const all = ["a0", "a1", "a2", "a3", "a4", "b5", "b6", "b7", "b8", "b9", "b10", "b11"];
  for (let from = 0; from <= 12; from++) {
    for (let to = from; to <= 12; to++) {
      assert.deepEqual(await read(chunks, head, from, to), all.slice(from, to));
      assert.deepEqual(await readAll(chunks, head, from, to), all.slice(from, to));
    }
  }
});

test("shorter chunks of the same messages, which a dead writer left, are passed over", async () => {
  const chunks = chunksAt(["a", 0, 1], ["a", 0, 4], ["a", 1, 2], ["a", 2, 3], ["a", 4, 5], ["a", 4, 6]);
  const all = ["a0", "a1", "a2", "a3", "a4", "a5"];
  assert.deepEqual(await read(chunks, [range("a", 0, 6)], 0, 6), all);
  for (let from = 0; from <= 6; from++) {
    assert.deepEqual(await readAll(chunks, [range("a", 0, 6)], from), all.slice(from), `from ${from}`);
  }
});

test("missing archived messages are an error, not a shorter conversation", async () => {
  const chunks = chunksAt(["a", 0, 2], ["a", 4, 6]);
  await assert.rejects(read(chunks, [range("a", 0, 6)], 0, 6), /missing at position 3/);
  await assert.rejects(readAll(chunks, [range("a", 0, 6)]), /missing at position 2/);
  assert.deepEqual(await read(chunks, [range("a", 0, 6)], 4, 6), ["a4", "a5"]);
});
