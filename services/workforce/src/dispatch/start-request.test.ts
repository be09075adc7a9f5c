import assert from "node:assert/strict";
import { isIdempotencyKey } from "@muster/rpc";
import { test } from "vitest";
import { type OwnMessage, ownFollowUp, ownStart } from "./start-request.ts";

const message: OwnMessage = {
  origin: { kind: "hook", id: "hok_1" },
  occurrence: "2026-11-22T12:00:00.000Z",
  text: "Go",
};

test("a message of the platform has a key that no client can send, whatever it contains", () => {
  const [first, other] = [ownStart(message), ownFollowUp({ ...message, text: "Wait" })];
  assert.ok(!isIdempotencyKey(first.idempotency?.key ?? ""));
  assert.deepEqual(first.idempotency, other.idempotency);
  assert.deepEqual([first.origin, first.keyId], [message.origin, undefined]);
});

test("a message of the platform is refused as one of a client is", () => {
  for (const text of [" ", "x".repeat(100_001), "a\0b"])
    assert.throws(() => ownStart({ ...message, text }), /message/);
});
