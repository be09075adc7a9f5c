import assert from "node:assert/strict";
import { Code, Reason } from "@muster/rpc";
import { test } from "vitest";
import { isPassing } from "./call-service.ts";

test("a run survives what an operator can repair, such as secrets that differ, and not a refusal of its request", () => {
  const passes = (reason: Reason, code = Code.Unauthenticated) => isPassing({ reason, code });
  for (const reason of [Reason.PRINCIPAL_REFUSED, Reason.PRINCIPAL_EXPIRED, Reason.UNAVAILABLE]) {
    assert.ok(passes(reason));
  }
  for (const reason of [Reason.UNAUTHENTICATED, Reason.FORBIDDEN, Reason.NOT_FOUND, Reason.INVALID_REQUEST]) {
    assert.ok(!passes(reason));
  }
  assert.ok(passes(Reason.UNSPECIFIED, Code.Unavailable));
  assert.ok(!passes(Reason.UNSPECIFIED, Code.Internal));
});
