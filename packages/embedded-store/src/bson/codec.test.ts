import assert from "node:assert/strict";
import { BSON } from "bson";
import fc from "fast-check";
import { test } from "vitest";
import { anyDoc } from "../../test/support/arbitrary.ts";
import { StoreError } from "../errors.ts";
import { compareValues } from "./compare.ts";
import { encodeDoc } from "./encode.ts";
import { T } from "./types.ts";
import { MalformedBson, maxDepth, validateDocument } from "./validate.ts";
import { Doc, document, type Value } from "./value.ts";

/** The same document, with every level decoded and rebuilt. */
function rebuilt(doc: Doc): Doc {
  return new Doc(Array.from(doc, ([name, value]) => [name, rebuiltValue(value)]));
}

function rebuiltValue(value: Value): Value {
  return value.type === T.document ? document(rebuilt(value.value)) : value;
}

test("written BSON reads back with the same types and values", () => {
  fc.assert(
    fc.property(anyDoc, (doc) => {
      const bytes = encodeDoc(doc);
      assert.equal(validateDocument(bytes, 0, bytes.length), bytes.length);
      assert.deepEqual(encodeDoc(rebuilt(Doc.fromRaw(bytes))), bytes);
      assert.equal(compareValues(document(Doc.fromRaw(bytes)), document(doc)), 0);
    }),
  );
});

test("the driver's own BSON library reads the bytes and writes the same", () => {
  const options = { promoteValues: false, promoteBuffers: false };
  fc.assert(
    fc.property(anyDoc, (doc) => {
      // JavaScript objects sort numeric names first; only the names that keep their order can be compared.
      fc.pre(!/"\d+":/.test(JSON.stringify(namesOf(doc))));
      const bytes = encodeDoc(doc);
      assert.deepEqual(Buffer.from(BSON.serialize(BSON.deserialize(bytes, options))), bytes);
    }),
  );
});

test("an untouched part of a document keeps its bytes", () => {
  const bytes = encodeDoc(new Doc([["a", document(new Doc([["b", { type: T.int32, value: 1 }]]))]]));
  const doc = Doc.fromRaw(bytes);
  doc.set("c", { type: T.null, value: null });
  assert.ok(encodeDoc(doc).includes(bytes.subarray(7, -1)));
});

test("changed bytes are either well-formed BSON or refused, and never read out of bounds", () => {
  fc.assert(
    fc.property(anyDoc, fc.nat(), fc.nat(255), fc.nat(), (doc, position, byte, cut) => {
      const bytes = Buffer.from(encodeDoc(doc));
      bytes[position % bytes.length] = byte;
      const damaged = bytes.subarray(0, bytes.length - (cut % 3));
      try {
        const end = validateDocument(damaged, 0, damaged.length);
        encodeDoc(rebuilt(Doc.fromRaw(damaged.subarray(0, end))));
      } catch (error) {
        assert.ok(error instanceof MalformedBson || error instanceof StoreError, String(error));
      }
    }),
    { numRuns: 400 * Number(process.env.LONG_RUN ?? 1) },
  );
});

test("BSON that is nested too deeply is refused", () => {
  let doc = new Doc();
  for (let i = 0; i < maxDepth + 1; i++) doc = new Doc([["a", document(doc)]]);
  const bytes = encodeDoc(doc);
  assert.throws(() => validateDocument(bytes, 0, bytes.length), { codeName: "Overflow" });
});

function namesOf(doc: Doc): unknown {
  const result: Record<string, unknown> = {};
  for (const [name, value] of doc) result[name] = nested(value);
  return result;
}

function nested(value: Value): unknown {
  if (value.type === T.document) return namesOf(value.value);
  return value.type === T.array ? value.value.items.map(nested) : 0;
}
