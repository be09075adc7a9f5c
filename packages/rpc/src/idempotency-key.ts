import { Reason } from "@muster/proto/errors";
import { rpcError } from "./errors.ts";

const syntax = /^[!-~]{1,255}$/;

/** For INVALID_IDEMPOTENCY_KEY. */
export const idempotencyKeyProblem =
  "The idempotency key must be 1 to 255 printable ASCII characters without spaces, such as a UUID.";

/** Whether a caller's idempotency key is well-formed. */
export function isIdempotencyKey(key: string): boolean {
  return syntax.test(key);
}

/** The fields that make a request a repeat of an earlier one. */
export interface Idempotency {
  key: string;
  /** Equal for requests with the same content. */
  hash: string;
}

/** Undefined: the request has no key. Throws INVALID_IDEMPOTENCY_KEY. */
export async function readIdempotency(
  key: string | undefined,
  hash: () => Promise<string>,
): Promise<Idempotency | undefined> {
  if (key === undefined) return undefined;
  if (!isIdempotencyKey(key)) throw rpcError(Reason.INVALID_IDEMPOTENCY_KEY, idempotencyKeyProblem);
  return { key, hash: await hash() };
}

/** IDEMPOTENCY_KEY_REUSED. */
export function keyReused() {
  return rpcError(
    Reason.IDEMPOTENCY_KEY_REUSED,
    "This idempotency key was used with a different request. Send the same body again, or use a new key.",
  );
}

/** IDEMPOTENCY_KEY_IN_PROGRESS. */
export function keyInProgress() {
  return rpcError(
    Reason.IDEMPOTENCY_KEY_IN_PROGRESS,
    "The first request with this idempotency key is still being processed. Try again.",
    { retryAfterMs: 1_000 },
  );
}
