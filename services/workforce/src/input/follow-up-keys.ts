import { hash as hashOf } from "node:crypto";
import type { Idempotency } from "@muster/rpc";

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
  return `${hashOf("sha256", key, "base64url").slice(0, 22)}:`;
}
