import assert from "node:assert/strict";
import { MongoServerError } from "mongodb";
import { test } from "vitest";
import { isStoreUnavailable, storeOutageOf } from "./errors.ts";

const systemError = (code: string, syscall?: string) =>
  Object.assign(new Error(`${syscall} ${code}`), { code, ...(syscall && { syscall }) });

test("a connection that breaks during a write counts as an unavailable store", () => {
  assert.equal(isStoreUnavailable(systemError("EPIPE", "write")), true);
  assert.equal(isStoreUnavailable(systemError("ECONNRESET", "read")), true);
});

test("a query for which the store has no memory left can be repeated later", () => {
  const error = new MongoServerError({ code: 292, message: "Sort exceeded memory limit" });
  assert.equal(isStoreUnavailable(error), true);
  assert.match(storeOutageOf(error)?.message ?? "", /no memory left for this query\. Try again\.$/);
});

test("a store whose disk is full is reported as that, with what to do, and its writes can be repeated later", () => {
  const error = new MongoServerError({ code: 14031, message: "The disk is full" });
  assert.equal(isStoreUnavailable(error), true);
  const { message, isStorageFull } = storeOutageOf(error) ?? {};
  assert.equal(isStorageFull, true);
  assert.match(message ?? "", /disk of the document store is full.*Free space on it, or delete data/);
});

test("other failures do not count as an unavailable store", () => {
  assert.equal(isStoreUnavailable(systemError("EACCES", "open")), false);
  assert.equal(isStoreUnavailable(systemError("EPIPE")), false);
  assert.equal(isStoreUnavailable(new TypeError("wrong")), false);
});
