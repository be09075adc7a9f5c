import { createHash } from "node:crypto";
import type { JsonValue } from "@muster/language";
import { canonicalHash } from "@muster/large-data";
import { idempotencyKeyProblem, isIdempotencyKey, Reason, rpcError } from "@muster/rpc";

/** The fields that make a request a repeat of an earlier one. */
export interface Idempotency {
  key: string;
  /** Equal for requests with the same content. */
  hash: string;
}

/** Throws INVALID_IDEMPOTENCY_KEY. Undefined: the request has no key. */
export async function readIdempotency(
  key: string | undefined,
  body: JsonValue,
): Promise<Idempotency | undefined> {
  if (key === undefined) return undefined;
  if (!isIdempotencyKey(key)) throw rpcError(Reason.INVALID_IDEMPOTENCY_KEY, idempotencyKeyProblem);
  return { key, hash: await canonicalHash(body) };
}

/** How a thread remembers the key of a follow-up, however long the key is: two hashes. */
export function followUpEntry({ key, hash }: Idempotency): string {
  return `${prefixOf(key)}${hash}`;
}

/** Undefined: the key was not used. */
export function findFollowUp(
  entries: readonly string[],
  { key, hash }: Idempotency,
): "same" | "other" | undefined {
  const prefix = prefixOf(key);
  const entry = entries.find((candidate) => candidate.startsWith(prefix));
  if (entry === undefined) return undefined;
  return entry === `${prefix}${hash}` ? "same" : "other";
}

function prefixOf(key: string): string {
  return `${createHash("sha256").update(key).digest("base64url").slice(0, 22)}:`;
}

export function keyReused() {
  return rpcError(
    Reason.IDEMPOTENCY_KEY_REUSED,
    "This Idempotency-Key was used with a different request. Use a new key for a new request.",
  );
}

export function keyInProgress() {
  return rpcError(
    Reason.IDEMPOTENCY_KEY_IN_PROGRESS,
    "The first request with this Idempotency-Key is still being processed. Try again.",
    { retryAfterMs: 1_000 },
  );
}
