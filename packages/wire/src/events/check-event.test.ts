import assert from "node:assert/strict";
import { expectTypeOf, test } from "vitest";
import type { StreamError } from "../error-codes/index.ts";
import { checkEvent } from "./check-event.ts";
import type { EventOf } from "./index.ts";

test("checkEvent accepts an event with its required and optional fields", () => {
  checkEvent({ type: "text-delta", id: "txt_1", delta: "Hi" });
  checkEvent({ type: "text-delta", id: "txt_1", delta: "Hi", thread: "side", workerId: "wrk_1" });
  checkEvent({ type: "tool-request", toolCalls: [{ toolCallId: "c", toolName: "t", args: { A: [1] } }] });
});

test("checkEvent refuses missing, mistyped and undocumented fields, at any depth", () => {
  for (const value of [
    { type: "text-delta", id: "txt_1" },
    { type: "text-delta", id: "txt_1", delta: 1 },
    { type: "text-delta", id: "txt_1", delta: "Hi", more: true },
    { type: "tool-request", toolCalls: [{ toolCallId: "c", toolName: "t", args: {}, more: true }] },
    { type: "finish", finishReason: "tired" },
    { type: "unheard-of" },
    { type: "constructor" },
    "text",
    null,
  ]) {
    assert.throws(() => checkEvent(value), JSON.stringify(value));
  }
});

test("the error event of the contract is the one that the services send", () => {
  expectTypeOf<EventOf<"error">>().toEqualTypeOf<StreamError>();
  const error: StreamError = {
    ...{ type: "error", errorType: "tool_error", message: "No.", source: "tool", retryable: false },
    tool: { name: "t", callId: "c" },
  };
  checkEvent(error);
});
