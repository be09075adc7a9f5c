import assert from "node:assert/strict";
import { test } from "vitest";
import { hideSecrets } from "./shorten.ts";

test("keys, tokens and signatures are replaced wherever they are in a text", () => {
  for (const [text, expected] of [
    ["my key is svc_sk_0123456789abcdef.", "my key is [secret]"],
    ["svc_agt_0123456789abcdef works", "[secret] works"],
    ["svc_cmp_0123456789abcdef works", "[secret] works"],
    ["OPENAI_API_KEY=sk-proj-0123456789abcdef", "OPENAI_API_KEY=[secret]"],
    ["Authorization: Bearer abcdefgh12345678", "Authorization: Bearer [secret]"],
    ['"eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"', '"[secret]"'],
    [
      "https://a.example/f.png?X-Amz-Signature=0123abcd&part=2",
      "https://a.example/f.png?X-Amz-Signature=[secret]&part=2",
    ],
    ["https://a.example/f.png?part=2&sig=0123abcd", "https://a.example/f.png?part=2&sig=[secret]"],
  ] as const) {
    assert.equal(hideSecrets(text), expected);
  }
});

test("other texts stay unchanged", () => {
  for (const text of [
    "Where is my order?",
    "the skeleton key",
    "https://a.example/f?page=2&tokens=9",
    "sk-1",
  ]) {
    assert.equal(hideSecrets(text), text);
  }
});
