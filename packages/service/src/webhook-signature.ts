import { createHmac, timingSafeEqual } from "node:crypto";
import type { Secret } from "./secret.ts";

/** The headers of Standard Webhooks, which prove the sender of a body. */
export interface WebhookHeaders {
  /** Equal in each attempt. */
  "webhook-id": string;
  /** Seconds since 1970. */
  "webhook-timestamp": string;
  /** Signatures with different secrets are separated by spaces. */
  "webhook-signature": string;
}

/** A message is refused if its time differs from that of its receiver by more. */
const toleranceMs = 300_000;
const version = "v1";

/** Signs a body with each of the secrets: `whsec_` and base64. `nowMs`: the time of this attempt. */
export function signWebhook(
  secrets: readonly Secret[],
  id: string,
  body: string | Uint8Array,
  nowMs: number,
): WebhookHeaders {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signatures = secrets.map(
    (secret) => `${version},${signatureOf(secret, id, timestamp, body).toString("base64")}`,
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

/** Whether one of the secrets has signed the body, and its time is within 5 minutes of `nowMs`. Compares in constant time. */
export function verifyWebhook(
  secrets: readonly Secret[],
  headers: WebhookHeaders,
  body: string | Uint8Array,
  nowMs: number,
): boolean {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowMs - Number(timestamp) * 1_000) > toleranceMs)
    return false;
  const given = signatures.split(" ").flatMap((signature) => {
    const [kind, encoded = ""] = signature.split(",");
    return kind === version ? [Buffer.from(encoded, "base64")] : [];
  });
  return secrets.some((secret) => {
    const expected = signatureOf(secret, id, timestamp, body);
    return given.some(
      (signature) => signature.length === expected.length && timingSafeEqual(signature, expected),
    );
  });
}

function signatureOf(secret: Secret, id: string, timestamp: string, body: string | Uint8Array): Buffer {
  const key = Buffer.from(secret.reveal().replace(/^whsec_/, ""), "base64");
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
}
