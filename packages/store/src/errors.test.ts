import assert from "node:assert/strict";
import { test } from "vitest";
import { isStoreUnavailable } from "./errors.ts";

const systemError = (code: string, syscall?: string) =>
  Object.assign(new Error(`${syscall} ${code}`), { code, ...(syscall && { syscall }) });

test("a connection that breaks during a write counts as an unavailable store", () => {
  assert.equal(isStoreUnavailable(systemError("EPIPE", "write")), true);
  assert.equal(isStoreUnavailable(systemError("ECONNRESET", "read")), true);
});

test("other failures do not count as an unavailable store", () => {
  assert.equal(isStoreUnavailable(systemError("EACCES", "open")), false);
  assert.equal(isStoreUnavailable(systemError("EPIPE")), false);
  assert.equal(isStoreUnavailable(new TypeError("wrong")), false);
});
