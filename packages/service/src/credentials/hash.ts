import { hash, timingSafeEqual } from "node:crypto";

/**
 * The stored form of a credential. A plain SHA-256 is enough and fast: 160 random bits cannot be guessed, however
 * quickly guesses can be tried.
 */
export function hashCredential(credential: string): string {
  return hash("sha256", credential);
}

/** Compares in constant time. */
export function sameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
