import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { requestedRange } from "./conditions.ts";

const size = 1_000;
const whole = "whole";
const none = "unsatisfiable";
const part = (start: number, end: number) => ({ start, end });

const cases: Array<[header: string | undefined, expected: ReturnType<typeof requestedRange>]> = [
  [undefined, whole],
  ["bytes=0-0", part(0, 0)],
  ["bytes=0-", part(0, 999)],
  ["bytes=999-", part(999, 999)],
  ["bytes=10-19", part(10, 19)],
  ["bytes=990-5000", part(990, 999)],
  ["bytes=0-99999999999999999999999999", part(0, 999)],
  ["bytes=007-0008", part(7, 8)],
  ["BYTES=1-2", part(1, 2)],
  ["bytes=-1", part(999, 999)],
  ["bytes=-1000", part(0, 999)],
  ["bytes=-5000", part(0, 999)],
  // Nothing of these is in the content.
  ["bytes=1000-", none],
  ["bytes=1000-1001", none],
  ["bytes=-0", none],
  ["bytes=99999999999999999999999999-", none],
  ["bytes=1000-,2000-3000,-0", none],
  // Several, of which one is in the content; of more than one, the whole.
  ["bytes=1000-,5-6", part(5, 6)],
  ["bytes=5-6 , ,\t-0", part(5, 6)],
  ["bytes=,5-6,", part(5, 6)],
  ["bytes=0-1,5-6", whole],
  ["bytes=0-1,0-1", whole],
  [`bytes=${"0-0,".repeat(3_000)}`, whole],
  // Wrong forms are ignored.
  ["", whole],
  ["bytes", whole],
  ["bytes=", whole],
  ["bytes=,", whole],
  ["bytes=-", whole],
  ["bytes=--1", whole],
  ["bytes=1", whole],
  ["bytes=a-b", whole],
  ["bytes=1-b", whole],
  ["bytes=6-5", whole],
  ["bytes=2000-1500", whole],
  ["bytes=1-2-3", whole],
  ["bytes=+1-2", whole],
  ["bytes=1.5-2", whole],
  ["bytes=1e2-", whole],
  ["bytes=0x10-", whole],
  ["bytes= 1 - 2", whole],
  ["bytes =1-2", whole],
  ["bytes:1-2", whole],
  ["bytes=١-٢", whole],
  ["bytes=5-6,x", whole],
  ["bytes=5-6, bytes=7-8", whole],
  ["items=0-1", whole],
  ["bytes=0-1\n", whole],
];

describe("the range of a request", () => {
  for (const [header, expected] of cases) {
    test(`${JSON.stringify(header)?.slice(0, 40)} is ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(requestedRange(header, size), expected);
    });
  }

  test("nothing of an empty content can be satisfied", () => {
    for (const header of ["bytes=0-", "bytes=-5", "bytes=0-0"]) assert.equal(requestedRange(header, 0), none);
  });

  test("a range lies within the content, whatever the header", () => {
    const spec = fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.tuple(fc.nat(30), fc.option(fc.nat(30))).map(([first, last]) => `${first}-${last ?? ""}`),
      fc.nat(30).map((length) => `-${length}`),
    );
    const header = fc.array(spec, { maxLength: 4 }).map((specs) => `bytes=${specs.join(",")}`);
    fc.assert(
      fc.property(fc.oneof(header, fc.string()), fc.nat(20), (text, length) => {
        const range = requestedRange(text, length);
        if (typeof range === "object") {
          assert.ok(range.start >= 0 && range.start <= range.end && range.end < length, text);
        }
      }),
    );
  });
});
