import { Decimal128 } from "bson";
import fc from "fast-check";
import { T } from "../../src/bson/types.ts";
import {
  array,
  Doc,
  document,
  double,
  falseValue,
  int32,
  int64,
  List,
  nullValue,
  string,
  trueValue,
  type Value,
} from "../../src/bson/value.ts";

/* Random BSON for property tests. Small alphabets make equal and nearly equal values common. */

const decimals = [
  "0",
  "-0",
  "1",
  "1.0",
  "0.1",
  "1E400",
  "-1E400",
  "1E-400",
  "9007199254740993",
  "2.5",
  "NaN",
  "Infinity",
  "-Infinity",
];

const smallNumber: fc.Arbitrary<Value> = fc.oneof(
  fc.integer({ min: -3, max: 3 }).map(int32),
  fc.integer({ min: -3, max: 3 }).map((n) => int64(BigInt(n))),
  fc.integer({ min: -6, max: 6 }).map((n) => double(n / 2)),
);

export const anyNumber: fc.Arbitrary<Value> = fc.oneof(
  smallNumber,
  fc.maxSafeInteger().map((n) => int32(n | 0)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(int64),
  fc.bigInt({ min: 2n ** 53n - 4n, max: 2n ** 53n + 4n }).map(int64),
  fc
    .constantFrom(2 ** 53, 2 ** 53 + 2, 0.1, -0, Number.NaN, Infinity, -Infinity, Number.MAX_VALUE, 5e-324)
    .map(double),
  fc.double().map(double),
  fc
    .constantFrom(...decimals)
    .map((text): Value => ({ type: T.decimal128, value: Buffer.from(Decimal128.fromString(text).bytes) })),
);

const anyText = fc.oneof(
  fc.constantFrom("", "a", "b", "a\0", "a\0b", "\uffff", "\u{10000}", "é"),
  fc.string({ unit: "binary", maxLength: 4 }),
);

const fieldName = fc.constantFrom("a", "b", "c", "0", "1");

export const scalar: fc.Arbitrary<Value> = fc.oneof(
  { weight: 3, arbitrary: anyNumber },
  { weight: 3, arbitrary: anyText.map(string) },
  fc.constantFrom(nullValue, trueValue, falseValue),
  fc
    .bigInt({ min: -8_640_000_000_000_000n, max: 8_640_000_000_000_000n })
    .map((value): Value => ({ type: T.date, value })),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value): Value => ({ type: T.timestamp, value })),
  fc
    .uint8Array({ minLength: 12, maxLength: 12 })
    .map((bytes): Value => ({ type: T.objectId, value: Buffer.from(bytes) })),
  fc
    .uint8Array({ maxLength: 3 })
    .map((bytes): Value => ({ type: T.binary, value: { subtype: 0, bytes: Buffer.from(bytes) } })),
  fc.constantFrom<Value>({ type: T.minKey, value: null }, { type: T.maxKey, value: null }),
);

export const anyValue: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    { weight: 4, arbitrary: scalar },
    fc.array(tie("value"), { maxLength: 3 }).map((items) => array(new List(items))),
    fc.array(fc.tuple(fieldName, tie("value")), { maxLength: 3 }).map((fields) => document(new Doc(fields))),
  ),
})).value;

export const anyDoc: fc.Arbitrary<Doc> = fc
  .array(fc.tuple(fieldName, anyValue), { maxLength: 4 })
  .map((fields) => new Doc(fields));
