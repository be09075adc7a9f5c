import assert from "node:assert/strict";
import { Code, ConnectError } from "@connectrpc/connect";
import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";
import { describe, test } from "vitest";
import { problemFrom } from "./from-any.ts";
import { codeOfReason } from "./from-rpc.ts";

describe("error codes", () => {
  test("every reason that a service sends to the edge has a public code below 500, or one of 503", () => {
    for (const reason of Object.values(Reason)) {
      if (reason === Reason.UNSPECIFIED || reason === Reason.STALE_DRIVER) continue;
      if (reason === Reason.RECORDING_LOST) continue;
      const problem = problemFrom(rpcError(reason, "what to do"));
      assert.equal(problem.code, codeOfReason[reason]);
      assert.equal(problem.message, "what to do");
      assert.ok(problem.status < 500 || problem.status === 503);
    }
  });

  test("a refused signature of the platform is never blamed on the client's credential", () => {
    for (const reason of [Reason.PRINCIPAL_REFUSED, Reason.PRINCIPAL_EXPIRED]) {
      const problem = problemFrom(rpcError(reason, "ask the operator"));
      assert.deepEqual([problem.status, problem.code], [503, "UNAVAILABLE"]);
    }
    assert.equal(problemFrom(rpcError(Reason.UNAUTHENTICATED, "no such key")).status, 401);
  });

  test("an unexpected error reveals nothing about itself", () => {
    const secrets = [
      new Error("mongodb://user:pw@host"),
      new ConnectError("at /srv/x.ts:3", Code.Internal),
      "text",
      undefined,
    ];
    for (const thrown of secrets) {
      const problem = problemFrom(thrown);
      assert.equal(problem.code, "INTERNAL");
      const body: unknown = JSON.parse(problem.toJson("req_1"));
      assert.deepEqual(body, { error: problem.message, code: "INTERNAL", requestId: "req_1" });
      assert.doesNotMatch(problem.message, /mongodb|srv/);
    }
  });

  test("transport failures have separate codes", () => {
    assert.equal(problemFrom(new ConnectError("x", Code.Unavailable)).code, "UNAVAILABLE");
    assert.equal(problemFrom(new ConnectError("x", Code.Unimplemented)).code, "UNAVAILABLE");
    assert.equal(problemFrom(new ConnectError("x", Code.DeadlineExceeded)).code, "TIMEOUT");
    assert.equal(problemFrom(new ConnectError("x", Code.ResourceExhausted)).code, "PAYLOAD_TOO_LARGE");
  });

  test("429 and 503 always carry Retry-After in whole seconds", () => {
    const busy = problemFrom(rpcError(Reason.SESSION_BUSY, "busy", { retryAfterMs: 1_200 }));
    assert.equal(busy.headers["retry-after"], "2");
    assert.equal(problemFrom(rpcError(Reason.SESSION_BUSY, "busy")).headers["retry-after"], "1");
    assert.equal(problemFrom(new ConnectError("x", Code.Unavailable)).headers["retry-after"], "1");
    assert.equal(problemFrom(rpcError(Reason.UNAUTHENTICATED, "no")).headers["www-authenticate"], "Bearer");
  });
});
