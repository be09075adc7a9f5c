import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { test } from "vitest";
import { Secret } from "./secret.ts";
import { signWebhook, verifyWebhook } from "./webhook-signature.ts";

const secretOf = (fill: number) => `whsec_${Buffer.alloc(32, fill).toString("base64")}`;
const [text, otherText] = [secretOf(1), secretOf(2)];
const [secret, other] = [new Secret(text), new Secret(otherText)];
const body = JSON.stringify({ result: "für 7 €" });

test("a library of Standard Webhooks accepts a signature, also one of two, and refuses that of another secret", () => {
  const headers = { ...signWebhook([secret, other], "msg_1", body, Date.now()) };
  for (const known of [text, otherText]) new Webhook(known).verify(body, headers);
  assert.throws(() => new Webhook(secretOf(3)).verify(body, headers), /No matching signature/);
});

test("a body that such a library has signed is accepted only unchanged, with its secret, and within 5 minutes", () => {
  const nowMs = Date.UTC(2026, 10, 27);
  const at = new Date(nowMs);
  const headers = {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(nowMs / 1_000),
    "webhook-signature": `v1a,AAAA v1,AAAA ${new Webhook(text).sign("msg_1", at, body)}`,
  };
  assert.ok(verifyWebhook([other, secret], headers, Buffer.from(body), nowMs));
  for (const shiftMs of [-300_000, 300_000])
    assert.ok(verifyWebhook([secret], headers, body, nowMs + shiftMs));
  const refused = [
    verifyWebhook([other], headers, body, nowMs),
    verifyWebhook([], headers, body, nowMs),
    verifyWebhook([secret], headers, `${body} `, nowMs),
    verifyWebhook([secret], headers, body, nowMs + 301_000),
    verifyWebhook([secret], headers, body, nowMs - 301_000),
    verifyWebhook([secret], { ...headers, "webhook-id": "msg_2" }, body, nowMs),
    ...["", "1e9", "-1", "NaN"].map((timestamp) =>
      verifyWebhook([secret], { ...headers, "webhook-timestamp": timestamp }, body, nowMs),
    ),
    ...["", "v1,", "v1", "v2,AAAA", headers["webhook-signature"].replaceAll("v1,", "v2,")].map((signature) =>
      verifyWebhook([secret], { ...headers, "webhook-signature": signature }, body, nowMs),
    ),
  ];
  assert.deepEqual(new Set(refused), new Set([false]));
});
