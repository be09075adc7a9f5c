import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { shownToModel } from "./command-tool.ts";
import { cutToBytes, lastBytes, OutputKeeper } from "./output-keeper.ts";

function keep(maxBytes: number, pieces: [stream: "stdout" | "stderr", text: string][]) {
  const shown: string[] = [];
  const kept = new OutputKeeper(maxBytes, ({ text }) => shown.push(text));
  for (const [stream, text] of pieces) kept.add(stream, text);
  const live = shown.length;
  kept.end();
  return { live: shown.slice(0, live).join(""), shown: shown.join(""), kept };
}

test("output up to the limit is shown at once and kept whole, by stream", () => {
  const { live, shown, kept } = keep(20, [
    ["stdout", "one "],
    ["stderr", "two "],
    ["stdout", "three"],
  ]);
  assert.equal(live, "one two th");
  assert.equal(shown, "one two three");
  assert.deepEqual([kept.text("stdout"), kept.text("stderr")], ["one three", "two "]);
});

test("of longer output the beginning and the end are kept, with a note of the missing part", () => {
  const { shown } = keep(10, [
    ["stdout", "0123456789"],
    ["stdout", "abcdefghij"],
    ["stdout", "klmnopqrst"],
  ]);
  assert.equal(shown, "01234\n[20 bytes of output are not shown]\npqrst");
});

test("any output keeps its beginning, its end and the count of the part that was cut, without half a character", () => {
  const piece = fc.tuple(
    fc.constantFrom("stdout" as const, "stderr" as const),
    fc.string({ unit: "grapheme", maxLength: 30 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), fc.integer({ min: 8, max: 64 }), (pieces, maxBytes) => {
      const all = pieces.map(([, text]) => text).join("");
      const { shown } = keep(maxBytes, pieces);
      const [head = "", cut, tail = ""] = shown.split(/\n\[(\d+) bytes of output are not shown\]\n/);
      if (cut === undefined) {
        assert.equal(shown, all);
        return;
      }
      assert.ok(all.startsWith(head) && all.endsWith(tail));
      assert.equal(Buffer.byteLength(head) + Number(cut) + Buffer.byteLength(tail), Buffer.byteLength(all));
      assert.ok(Buffer.byteLength(head) + Buffer.byteLength(tail) <= maxBytes);
    }),
  );
});

test("a text is cut at either end between characters", () => {
  assert.deepEqual(
    ["aé", "éé", "日本"].map((text) => cutToBytes(text, 2)),
    ["a", "é", ""],
  );
  assert.deepEqual(
    ["éa", "éé", "日本"].map((text) => lastBytes(text, 2)),
    ["a", "é", ""],
  );
  assert.equal(lastBytes("abc", 0), "");
});

test("the model sees the beginning and the end, and how to read the rest", () => {
  assert.equal(shownToModel("short", 10), "short");
  const shown = shownToModel(`${"a".repeat(100)}${"b".repeat(100)}`, 20);
  assert.match(shown, /^a{10}\n\[180 bytes cut here\. .*files__read\.\]\nb{10}$/);
});
