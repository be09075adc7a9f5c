import type { AuditFields } from "@muster/events/audit";
import type { JsonObject } from "@muster/language";
import type { Lease, Revised } from "@muster/store";
import type { StoredRunConfig } from "./run-config.ts";
import type { WebhookSecret } from "./webhook-document.ts";

export const verificationTypes = ["standard-webhooks", "github", "slack", "bearer"] as const;
/** How a sender proves that a delivery is its own. */
export type VerificationType = (typeof verificationTypes)[number];

/** An address at which another system sends events to a workforce agent. */
export interface HookDocument extends Revised, AuditFields {
  /** `hok_…`: the last part of its URL. */
  _id: string;
  projectId: string;
  agentId: string;
  /** Unique among the agent's hooks. */
  slug: string;
  name: string;
  verifyType: VerificationType;
  /** Newest first. */
  secrets: WebhookSecret[];
  /** JSON Schema of the bodies that reach the agent, as `schemaProblem` allows it. Absent: all do. */
  filter?: JsonObject;
  /** Template of the message. */
  message: string;
  /** Template: deliveries with the same text go to one thread. Absent: each has its own. */
  threadKey?: string;
  config: StoredRunConfig;
  enabled: boolean;
  /** A project as files manages it. Absent: none does. */
  managed?: boolean;
  createdAt: Date;
  updatedAt: Date;
}

export const hookDeliveryStatuses = ["accepted", "filtered", "dispatched", "failed"] as const;

/** An event that a sender has posted to a hook. */
export interface HookDeliveryDocument {
  /** `hdl_…` */
  _id: string;
  projectId: string;
  agentId: string;
  hookId: string;
  /** Equal for repeats of one event: unique among the hook's deliveries. */
  identity: string;
  /** JSON, without the secrets of the hook. */
  body: string;
  /** The first characters of it, for lists. */
  bodyStart: string;
  bodyLength: number;
  /** `hdl_…`: the delivery that it repeats. Absent: none. */
  replayOf?: string;
  /** On one instance, it begins once the deliveries of its hook before it have ended: they can be for the same thread. */
  isOrdered?: true;
  status: (typeof hookDeliveryStatuses)[number];
  /** Why it was filtered, has failed, or is tried again: a sentence. */
  reason?: string;
  /** The thread that its message has reached. */
  threadId?: string;
  /** When it was first postponed. Absent: it was not. */
  triedSince?: Date;
  /** When it is carried out next. Absent: it has ended. */
  dueAt?: Date;
  /** The instance that carries it out. */
  lease: Lease | null;
  createdAt: Date;
  settledAt?: Date;
  /** When it is removed. */
  expiresAt: Date;
}

export interface HookKey {
  projectId: string;
  agentId: string;
  hookId: string;
}

export function keyOfHook({
  projectId,
  agentId,
  _id,
}: Pick<HookDocument, "projectId" | "agentId" | "_id">): HookKey {
  return { projectId, agentId, hookId: _id };
}
