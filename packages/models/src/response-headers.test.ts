import assert from "node:assert/strict";
import { test } from "vitest";
import { readRequestId, readRetryAfterMs } from "./response-headers.ts";

const nowMs = Date.UTC(2026, 0, 1);

for (const [headers, expected] of [
  [{ "retry-after": "7" }, 7000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "7", "retry-after-ms": "120" }, 120],
  [{ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }, 30_000],
  [{ "retry-after": "Wed, 31 Dec 2025 00:00:30 GMT" }, 0],
  [{ "retry-after": "99999999" }, 86_400_000],
  [{ "retry-after": "-1e9 soon" }, undefined],
  [{}, undefined],
] as Array<[Record<string, string>, number | undefined]>) {
  test(`the headers ${JSON.stringify(headers)} mean a retry after ${expected} ms`, () =>
    assert.equal(readRetryAfterMs(headers, nowMs), expected));
}

test("a request id is read only if it looks like one", () => {
  assert.equal(readRequestId({ "request-id": "req_1" }), "req_1");
  assert.equal(readRequestId({ "x-request-id": "a b" }), undefined);
  assert.equal(readRequestId({ "x-request-id": "x".repeat(200) }), undefined);
});
