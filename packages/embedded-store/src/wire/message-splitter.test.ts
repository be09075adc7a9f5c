import assert from "node:assert/strict";
import { survivors } from "@muster/testing";
import fc from "fast-check";
import { test } from "vitest";
import { MessageSplitter } from "./message-splitter.ts";

function message(content: string): Buffer {
  const bytes = Buffer.alloc(16 + content.length, content);
  bytes.writeInt32LE(bytes.length);
  return bytes;
}

test("messages are complete and in order, however their bytes arrive", () =>
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 300, unit: "binary-ascii" }), { maxLength: 10 }),
      fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 10 }),
      (contents, lengths) => {
        const messages = contents.map(message);
        const bytes = Buffer.concat(messages);
        const splitter = new MessageSplitter();
        const received: Buffer[] = [];
        for (let at = 0, next = 0; at < bytes.length; next++) {
          const length = lengths[next % lengths.length] ?? 1;
          received.push(...splitter.push(bytes.subarray(at, at + length)));
          at += length;
        }
        assert.deepEqual(received, messages);
        assert.equal(splitter.bytes, 0);
      },
    ),
  ));

test("an incomplete message keeps none of the pieces in which it arrives", async () => {
  const splitter = new MessageSplitter();
  const head = Buffer.alloc(16);
  head.writeInt32LE(2_000);
  assert.deepEqual([...splitter.push(head)], []);
  assert.ok((await survivors((piece) => assert.deepEqual([...splitter.push(piece)], []))) < 10);
});
