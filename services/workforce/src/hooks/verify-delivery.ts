import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import { Secret } from "@muster/service";
import { verifyWebhook } from "@muster/service/webhook-signature";
import type { VerificationType } from "../store/hook-document.ts";

/** A request of a sender. `headers`: by their names in lower case. */
export interface Posted {
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}

interface Verifier {
  /** In constant time. `nowMs`: for senders that sign a time, which must be within 5 minutes of it. */
  isSigned(secrets: readonly Secret[], posted: Posted, nowMs: number): boolean;
  /** An id that the proof covers. Undefined: none does, so that the content is the identity. */
  idOf(posted: Posted): string | undefined;
}

const toleranceMs = 300_000;
/** Without dots, which separate the parts of a signed text. */
const signedId = /^[!-\-/-~]{1,255}$/;

/** One row for each kind of sender. */
const verifiers: Readonly<Record<VerificationType, Verifier>> = {
  "standard-webhooks": {
    isSigned: (secrets, { headers, body }, nowMs) => {
      const {
        "webhook-id": id = "",
        "webhook-timestamp": at = "",
        "webhook-signature": signature = "",
      } = headers;
      const signed = { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature };
      return signedId.test(id) && verifyWebhook(secrets, signed, body, nowMs);
    },
    idOf: ({ headers }) => headers["webhook-id"],
  },
  github: {
    isSigned: (secrets, { headers, body }) =>
      secrets.some((secret) => isEqual(headers["x-hub-signature-256"], `sha256=${hmac(secret, body)}`)),
    // The signature does not cover `x-github-delivery`.
    idOf: () => undefined,
  },
  slack: {
    isSigned: (secrets, { headers, body }, nowMs) => {
      const at = headers["x-slack-request-timestamp"] ?? "";
      if (!/^\d{1,12}$/.test(at) || Math.abs(nowMs - Number(at) * 1_000) > toleranceMs) return false;
      const given = headers["x-slack-signature"];
      return secrets.some((secret) => isEqual(given, `v0=${hmac(secret, `v0:${at}:`, body)}`));
    },
    // A repeated event is signed again at another time, with the same body.
    idOf: () => undefined,
  },
  bearer: {
    isSigned: (secrets, { headers }) =>
      secrets.some((secret) => isEqual(headers.authorization, `Bearer ${secret.reveal()}`)),
    // The token proves who has sent the whole request, and so this header as much as the body.
    idOf: ({ headers }) => {
      const key = headers["idempotency-key"];
      return key !== undefined && signedId.test(key) ? key : undefined;
    },
  },
};

/** Takes as long as the check of a hook, for addresses without one. */
export const decoy = { type: "github", secrets: [new Secret(randomBytes(32).toString("hex"))] } as const;

/** The identity of a delivery whose sender knows one of the secrets, equal for repeats of one event. Undefined: it does not. */
export function verifyDelivery(
  type: VerificationType,
  secrets: readonly Secret[],
  posted: Posted,
  nowMs: number,
): string | undefined {
  const { isSigned, idOf } = verifiers[type];
  if (!isSigned(secrets, posted, nowMs)) return undefined;
  const id = idOf(posted);
  return id === undefined ? `body ${hash("sha256", posted.body)}` : `id ${id}`;
}

function hmac(secret: Secret, ...parts: Array<string | Uint8Array>): string {
  const digest = createHmac("sha256", secret.reveal());
  for (const part of parts) digest.update(part);
  return digest.digest("hex");
}

/** The lengths of the texts do not show in the time. */
function isEqual(given = "", expected: string): boolean {
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", expected, "buffer"));
}
