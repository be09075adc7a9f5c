const syntax = /^[!-~]{1,255}$/;

/** For INVALID_IDEMPOTENCY_KEY. */
export const idempotencyKeyProblem =
  "The idempotency key must be 1 to 255 printable ASCII characters without spaces, such as a UUID.";

/** Whether a caller's idempotency key is well-formed. */
export function isIdempotencyKey(key: string): boolean {
  return syntax.test(key);
}
