import assert from "node:assert/strict";
import { test } from "vitest";
import { isCredential, newCredential } from "./credential.ts";

test("only well-formed keys are looked up in the store", () => {
  for (const nonsense of [
    "",
    "svc_sk_",
    "svc_sk_short",
    `svc_sk_${" ".repeat(32)}`,
    `Bearer svc_sk_${"a".repeat(32)}`,
    "a.b.c",
  ]) {
    assert.equal(isCredential(nonsense), false);
  }
});

test("a new key carries 160 random bits and passes its own check", () => {
  const key = newCredential((size) => new Uint8Array(size).map((_zero, index) => index));
  assert.equal(key, "svc_sk_0123456789abcdefghjkmnpqrstvwxyz");
  assert.ok(isCredential(key));
});
