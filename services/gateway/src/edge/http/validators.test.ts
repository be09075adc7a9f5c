import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { httpDate, isUnchanged, mayBePart } from "./conditions.ts";

// The time of RFC 9110, and 999 ms, which no header can show.
const modifiedAtMs = Date.UTC(1994, 10, 6, 8, 49, 37) + 999;
const version = { etag: '"rec_1-3"', modifiedAtMs };
const forms = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"];
const later = "Sun, 06 Nov 1994 08:49:38 GMT";
const earlier = "Sun, 06 Nov 1994 08:49:36 GMT";
const wrongDates = [
  "1994-11-06T08:49:37Z",
  "Sun, 06 Nov 1994 08:49:37",
  "Sun, 06 Nov 1994 08:49:37 +0000",
  "06 Nov 1994",
  "tomorrow",
  "9999999999999",
  "",
];

test("the date has the form of RFC 9110", () => {
  assert.equal(httpDate(modifiedAtMs), forms[0]);
});

describe("a version that the client has", () => {
  test("is one that If-None-Match names, whatever If-Modified-Since says", () => {
    for (const header of ['"rec_1-3"', 'W/"rec_1-3"', '"a", "rec_1-3"', "*"]) {
      assert.ok(isUnchanged({ "if-none-match": header, "if-modified-since": earlier }, version), header);
    }
    for (const header of ['"rec_1-2"', "rec_1-3", ""]) {
      assert.ok(!isUnchanged({ "if-none-match": header, "if-modified-since": later }, version), header);
    }
  });

  test("is one that has not changed since, in each form of a date", () => {
    for (const header of [...forms, later]) {
      assert.ok(isUnchanged({ "if-modified-since": header }, version), header);
    }
    for (const header of [earlier, ...wrongDates]) {
      assert.ok(!isUnchanged({ "if-modified-since": header }, version), header);
    }
  });
});

describe("a part of the content", () => {
  test("is sent without If-Range, and with one that names exactly this version", () => {
    for (const header of [undefined, '"rec_1-3"', ...forms]) {
      assert.ok(mayBePart(header === undefined ? {} : { "if-range": header }, version), header);
    }
  });

  test("is not sent with If-Range that is weak, of another version, or malformed", () => {
    for (const header of ['W/"rec_1-3"', '"rec_1-2"', "*", later, earlier, ...wrongDates]) {
      assert.ok(!mayBePart({ "if-range": header }, version), header);
    }
  });
});
