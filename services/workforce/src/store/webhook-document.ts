import type { AuditFields } from "@muster/events/audit";
import type { SealedText } from "@muster/service";
import type { Lease, Revised } from "@muster/store";
import type { WebhookEventType } from "@muster/wire/webhook-events";

/** A URL that learns of changes of a project, or of one thread: a callback. */
export interface WebhookDocument extends Revised, AuditFields {
  /** `whk_…`; that of a callback follows from its project and URL. */
  _id: string;
  projectId: string;
  /** Unique in the project. Absent if it is a callback, or was created before slugs: see `slugOf`. */
  slug?: string;
  /** A project as files manages it. Absent: none does. */
  managed?: boolean;
  url: string;
  /** The types of its events. Those of threads, for a callback. */
  events: WebhookEventType[];
  /** Dispatches named it: lists do not show it, and the project's callback secret signs. Absent: it is not. */
  isCallback?: true;
  /** The only agent whose events it receives. Absent: any. */
  agentId?: string;
  description?: string;
  /** Newest first. None: it is a callback. */
  secrets: WebhookSecret[];
  /** False: nothing is sent, and no new events wait. */
  enabled: boolean;
  /** Why the platform has paused it (events wait), or disabled it. Absent: it has not. */
  pausedReason?: string;
  /** Attempts in a row without success, and when the first one ended. */
  failures: number;
  failingSince?: Date;
  /** When the earliest of its deliveries is due. Absent: none waits. */
  dueAt?: Date;
  /** The instance that sends its deliveries. */
  lease: Lease | null;
  /** Rises with each lease. */
  epoch: number;
  /** Rises when a delivery is added. */
  rev: number;
  createdAt: Date;
  updatedAt: Date;
  /** When a callback is removed. Absent: never. */
  expiresAt?: Date;
}

/** Encrypted for its webhook or hook. */
export interface WebhookSecret {
  sealed: SealedText;
  /** It is valid until then. Absent: it is the current one. */
  until?: Date;
}

export const deliveryStatuses = ["pending", "delivered", "failed"] as const;

/** An event for one webhook. */
export interface DeliveryDocument {
  /** `dlv_…` */
  _id: string;
  projectId: string;
  webhookId: string;
  /** `evt_…`, in every attempt. */
  eventId: string;
  type: string;
  /** The body of each attempt: JSON. */
  payload: string;
  status: (typeof deliveryStatuses)[number];
  /** When it is sent next. Absent: not by itself. */
  dueAt?: Date;
  /** How many attempts there were; the writer of the next one must know it. */
  attempts: number;
  /** Those since the last replay. */
  tries: number;
  /** The latest ones, oldest first. */
  log: Attempt[];
  createdAt: Date;
  /** When it is removed. */
  expiresAt: Date;
}

/** A request to the receiver. */
export interface Attempt {
  at: Date;
  /** The HTTP status. Absent without an answer. */
  status?: number;
  latencyMs: number;
  /** A sentence. Absent: the receiver has accepted it. */
  problem?: string;
  /** The first KiB. Absent: it was empty, or there was none. */
  answer?: string;
}

export interface WebhookKey {
  projectId: string;
  webhookId: string;
}

export function keyOfWebhook({ projectId, _id }: Pick<WebhookDocument, "projectId" | "_id">): WebhookKey {
  return { projectId, webhookId: _id };
}
