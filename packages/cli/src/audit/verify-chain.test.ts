import assert from "node:assert/strict";
import { chainHash, chainStart } from "@muster/wire/audit";
import fc from "fast-check";
import { test } from "vitest";
import { verifyChain } from "./verify-chain.ts";

type Line = Record<string, unknown>;

function chainOf(length: number, from = 0, start = chainStart): Line[] {
  let hash = start;
  return Array.from({ length }, (_, index) => {
    const entry = {
      ...{ number: from + index + 1, id: `aud_${index}`, at: "2026-11-27T12:10:00.000Z" },
      actor: { kind: "key", id: "key_1", ip: index % 2 === 0 ? "192.0.2.1" : undefined },
      ...{ action: "key.create", target: `key_${index}`, requestId: "req_1", outcome: "succeeded" },
    };
    hash = chainHash(hash, entry);
    return { ...entry, before: null, after: null, hash };
  });
}

test("an intact chain is accepted, also one that begins after removed entries", async () => {
  const whole = await verifyChain(chainOf(5));
  assert.deepEqual([whole.entries, whole.last.number, whole.broken], [5, 5, undefined]);
  const anchor = { number: 120, hash: "ab" };
  const pruned = await verifyChain([{ anchor }, ...chainOf(3, 120, "ab")]);
  assert.deepEqual([pruned.entries, pruned.last.number, pruned.broken], [3, 123, undefined]);
  assert.equal((await verifyChain(chainOf(3, 120, "ab"))).broken?.number, 1);
});

test("an entry that was kept shows that the end of the log was removed, or that the chain was computed again", async () => {
  const lines = chainOf(5);
  const { last } = await verifyChain(lines);
  assert.equal((await verifyChain(lines, last)).broken, undefined);
  assert.equal((await verifyChain(lines.slice(0, 3), last)).broken?.number, 4);
  const anchor = { number: 5, hash: last.hash };
  assert.equal((await verifyChain([{ anchor }, ...chainOf(2, 5, last.hash)], last)).broken, undefined);
  const forged = { number: 5, hash: "ab" };
  assert.equal((await verifyChain([{ anchor: forged }, ...chainOf(2, 5, "ab")], last)).broken?.number, 5);
  assert.equal((await verifyChain([{ anchor: { number: 9, hash: "ab" } }], last)).broken, undefined);
});

test("the first entry that was changed, removed, inserted or moved is named", async () => {
  const changes: Array<(lines: Line[], at: number) => unknown> = [
    (lines, at) => lines.splice(at, 1, { ...lines[at], target: "key_other" }),
    (lines, at) => lines.splice(at, 1, { ...lines[at], actor: { kind: "key", id: "key_other" } }),
    (lines, at) => lines.splice(at, 1, { ...lines[at], outcome: "denied" }),
    (lines, at) => lines.splice(at, 1),
    (lines, at) => lines.splice(at, 0, { ...lines[at], id: "aud_other" }),
    (lines, at) => lines.splice(at, 2, ...lines.slice(at, at + 2).toReversed()),
  ];
  const which = fc.tuple(fc.integer({ min: 0, max: 8 }), fc.constantFrom(...changes));
  const finds = fc.asyncProperty(which, async ([at, change]) => {
    const lines = chainOf(10);
    change(lines, at);
    assert.equal((await verifyChain(lines)).broken?.number, at + 1);
  });
  await fc.assert(finds);
});
