import assert from "node:assert/strict";
import { Code, Reason, rpcError } from "@muster/rpc";
import { test } from "vitest";
import { defaultTimings } from "../../config.ts";
import { Broken } from "./broken.ts";
import { callService, isPassing } from "./call-service.ts";

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

test("a run waits for space on a full disk for longer than for a service that does not respond", async () => {
  const run = { stopping: new AbortController().signal };
  const timings = { ...defaultTimings, reconnectMs: 0 };
  const failingTwice = (reason: Reason) => {
    let calls = 0;
    return async () => {
      if (++calls < 3) throw rpcError(reason, "Not now.");
      return "called";
    };
  };
  assert.equal(await callService({ timings }, run, failingTwice(Reason.STORAGE_FULL)), "called");
  await assert.rejects(callService({ timings }, run, failingTwice(Reason.UNAVAILABLE)), Broken);
});
