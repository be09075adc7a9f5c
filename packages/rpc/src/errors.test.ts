import assert from "node:assert/strict";
import { Code, ConnectError } from "@connectrpc/connect";
import { ReasonSchema } from "@muster/proto/errors";
import { test } from "vitest";
import { Reason, readRpcError, rpcError } from "./errors.ts";

test("every reason of the wire contract can be written by rpcError and read by readRpcError", () => {
  for (const { number } of ReasonSchema.values) {
    const reason = Object.values(Reason).find((value) => value === number);
    assert.ok(reason !== undefined);
    const error = rpcError(reason, "text");
    assert.ok(error.code in Code, `reason ${reason} has a code`);
    assert.equal(readRpcError(error).reason, reason);
  }
});

test("readRpcError returns everything that was passed to rpcError", () => {
  const issues = [{ path: "a.b", message: "is wrong", severity: "info" as const, suggestions: ["c"] }];
  const error = rpcError(Reason.INVALID_INPUT, "text", { issues, retryAfterMs: 0.2 });
  assert.deepEqual(readRpcError(error), {
    reason: Reason.INVALID_INPUT,
    code: Code.InvalidArgument,
    message: "text",
    issues,
    retryAfterMs: 1,
  });
});

test("readRpcError reads other values as UNSPECIFIED, without their text unless they are RPC errors", () => {
  for (const thrown of [new Error("secret"), "secret", undefined, null, 7, { code: 5 }]) {
    const failure = readRpcError(thrown);
    assert.equal(failure.reason, Reason.UNSPECIFIED);
    assert.equal(failure.code, Code.Internal);
    assert.doesNotMatch(failure.message, /secret/);
  }
  const failure = readRpcError(new ConnectError("connection refused", Code.Unavailable));
  assert.equal(failure.reason, Reason.UNSPECIFIED);
  assert.equal(failure.code, Code.Unavailable);
});

test("unreadable details of an RPC error are ignored", () => {
  const error = new ConnectError("text", Code.NotFound);
  error.details.push({ type: "muster.errors.v1.ErrorInfo", value: Uint8Array.of(255, 255, 255) });
  assert.equal(readRpcError(error).reason, Reason.UNSPECIFIED);
});

test("issues beyond the limit of an error are omitted", () => {
  const issues = Array.from({ length: 10_000 }, (_, i) => ({ path: `a.${i}`, message: "is wrong" }));
  const read = readRpcError(rpcError(Reason.INVALID_DEFINITION, "text", { issues })).issues;
  assert.ok(read.length > 100 && read.length < 1000);
  assert.deepEqual(read, issues.slice(0, read.length));
});
