import { hash } from "node:crypto";

/** The fields of an entry that its hash covers. */
export interface ChainedFields {
  /** From 1, without gaps in a project. */
  number: number;
  id: string;
  /** ISO 8601 with milliseconds, in UTC. */
  at: string;
  actor: { kind: string; id: string; ip?: string | undefined };
  action: string;
  target: string;
  before?: string | undefined;
  after?: string | undefined;
  requestId: string;
  outcome: string;
}

/** The hash before the first entry of a project. */
export const chainStart = "";

/**
 * The hash of an entry: SHA-256, in hexadecimal digits, of a JSON array without spaces of the hash before it and its fields in
 * this order. Absent fields are null.
 */
export function chainHash(previous: string, entry: ChainedFields): string {
  const { number, id, at, actor, action, target, before, after, requestId, outcome } = entry;
  const fields = [number, id, at, actor.kind, actor.id, actor.ip, action, target, before, after, requestId];
  return hash("sha256", JSON.stringify([previous, ...fields, outcome]));
}
