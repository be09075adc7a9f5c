import { hash } from "node:crypto";
import { type Actor, actorOf, type HandlerContext, requestIdOf } from "@muster/rpc";
import type { Clock, NewId } from "@muster/service";
import type { AuditAction } from "@muster/wire/audit";
import type { AuditEntry } from "./audit-index.ts";

/** A change. Settings never contain secrets: the hash of a short one could be guessed. */
export interface AuditChange {
  projectId: string;
  target: string;
  /** The changed settings before. Absent: there were none, or they are not known. */
  before?: object;
  /** The changed settings afterwards. */
  after?: object;
  outcome?: AuditEntry["outcome"];
}

/** A change that the platform makes by itself. */
export interface OwnAction {
  actor: Actor;
  requestId: string;
}

/** Makes the entry of a change, for the write that makes the change. */
export type Auditor = ReturnType<typeof createAuditor>;

export function createAuditor({ newId, clock }: { newId: NewId; clock: Clock }) {
  return (by: HandlerContext | OwnAction, action: AuditAction, change: AuditChange): AuditEntry => {
    const { projectId, target, before, after, outcome = "succeeded" } = change;
    return {
      ...{ id: newId("aud"), projectId, at: new Date(clock.now()) },
      actor: "actor" in by ? by.actor : actorOf(by),
      ...{ action, target },
      ...(before && { before: settingsHash(before) }),
      ...(after && { after: settingsHash(after) }),
      requestId: "actor" in by ? by.requestId : requestIdOf(by),
      outcome,
    };
  };
}

/** The current values of the fields that a change sets. */
export function sameFields(current: object, changes: object): object {
  return Object.fromEntries(Object.keys(changes).map((name) => [name, Reflect.get(current, name)]));
}

/** SHA-256 of the settings as JSON with sorted keys. */
export function settingsHash(settings: object): string {
  return hash("sha256", JSON.stringify(sorted(settings)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(Reflect.get(value, key))]),
  );
}
