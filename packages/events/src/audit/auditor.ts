import { hash } from "node:crypto";
import { isPlainObject } from "@muster/language/json";
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

/** The current values of the fields that a change sets; null for those that are not set. */
export function sameFields(current: object, changes: object): object {
  const changed = Object.entries(changes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(changed.map(([name]) => [name, Reflect.get(current, name) ?? null]));
}

/** SHA-256 of the settings as JSON with sorted keys. */
export function settingsHash(settings: object): string {
  return hash(
    "sha256",
    JSON.stringify(settings, (_key, value: unknown) =>
      isPlainObject(value) ? Object.fromEntries(Object.entries(value).sort(byKey)) : value,
    ),
  );
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
