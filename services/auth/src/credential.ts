import { createHash, timingSafeEqual } from "node:crypto";

const prefix = "svc_sk_";
const pattern = /^svc_sk_[0-9A-Za-z_-]{32,128}$/;

// Crockford's base 32: nothing in it can be misread, and a double click selects all of it.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** A new API key: `svc_sk_` and 32 characters that carry 160 random bits. */
export function newCredential(random: (size: number) => Uint8Array): string {
  let text = prefix;
  for (const byte of random(32)) text += alphabet.charAt(byte & 31);
  return text;
}

/** Whether the text has the form of an API key, so that nonsense costs no query. */
export function isCredential(text: string): boolean {
  return pattern.test(text);
}

/**
 * The stored form of a credential. A plain SHA-256 is enough and fast: 160 random bits cannot be guessed, however
 * quickly guesses can be tried.
 */
export function hashCredential(credential: string): string {
  return createHash("sha256").update(credential).digest("hex");
}

/** Compares in constant time. */
export function sameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
