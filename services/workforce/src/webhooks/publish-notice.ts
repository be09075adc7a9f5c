import { hash } from "node:crypto";
import type { Notice } from "@muster/events";
import { webhookEventTypes } from "@muster/wire/webhook-events";
import type { WorkforceContext } from "../context.ts";
import type { WebhookDocument } from "../store/webhook-document.ts";

const dayMs = 24 * 3_600_000;
/** A delivery that still waits is removed after this, also one of a webhook that is paused. */
export const maxWaitMs = 30 * dayMs;

/** The thing that has changed. */
export interface Changed {
  projectId: string;
  /** Empty: it belongs to no agent. */
  agentId: string;
  /** The ids that receivers get. */
  ids: Readonly<Record<string, string>>;
  /** The URL that its dispatch named. */
  callbackUrl?: string | undefined;
}

type Context = Pick<WorkforceContext, "webhooks" | "deliveries" | "clock" | "newId">;

/** Stores the event for each webhook that receives it. Harmless if repeated. `sequence`: its number among the thing's events. */
export async function publishNotice(
  context: Context,
  { projectId, agentId, ids, callbackUrl }: Changed,
  { id: eventId, type, at, data }: Notice,
  sequence: number,
): Promise<void> {
  const { webhooks, deliveries, clock, newId } = context;
  const receivers = await webhooks.subscribers(projectId, type, agentId);
  if (callbackUrl !== undefined) receivers.push(await callbackOf(context, projectId, callbackUrl));
  if (receivers.length === 0) return;
  const payload = JSON.stringify({
    ...{ type, timestamp: at.toISOString(), sequence },
    data: { projectId, ...(agentId !== "" && { agentId }), ...ids, ...data },
  });
  const now = new Date(clock.now());
  const expiresAt = new Date(now.getTime() + maxWaitMs);
  const event = { projectId, eventId, type, payload, status: "pending", dueAt: now } as const;
  const rest = { attempts: 0, tries: 0, log: [], createdAt: now, expiresAt };
  const webhookIds = receivers.map(({ _id }) => _id);
  await deliveries.insert(
    webhookIds.map((webhookId) => ({ _id: newId("dlv"), webhookId, ...event, ...rest })),
  );
  await webhooks.becomeDue(projectId, webhookIds, now);
}

/** The webhook of a URL that dispatches name. It goes when none has named it for a while. */
async function callbackOf(
  { webhooks, clock }: Context,
  projectId: string,
  url: string,
): Promise<WebhookDocument> {
  const webhookId = `cbk_${hash("sha256", `${projectId} ${url}`).slice(0, 26)}`;
  const key = { projectId, webhookId };
  const known = await webhooks.read(key);
  const now = new Date(clock.now());
  const expiresAt = new Date(now.getTime() + maxWaitMs);
  if (known !== null) {
    await webhooks.keepUntil(key, expiresAt);
    return known;
  }
  const webhook: WebhookDocument = {
    ...{ _id: webhookId, projectId, url, isCallback: true, secrets: [], enabled: true },
    events: webhookEventTypes.filter((type) => type.startsWith("thread.")),
    ...{ failures: 0, lease: null, epoch: 0, rev: 0, createdAt: now, updatedAt: now },
    expiresAt,
  };
  await webhooks.insert(webhook);
  return webhook;
}
