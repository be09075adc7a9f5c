import type { Api } from "../http/api.ts";
import { integer, optionalText, record, records, text, texts } from "../read.ts";

export type Webhook = ReturnType<typeof webhookOf>;
export type Delivery = ReturnType<typeof deliveryOf>;

const path = "/api/admin/webhooks";
const pathOf = (id: string) => `${path}/${encodeURIComponent(id)}`;

/** Fields of the request that are undefined are not sent. */
export async function createWebhook(api: Api, webhook: Readonly<Record<string, unknown>>) {
  const created = await api.read("POST", path, { body: webhook });
  return { ...webhookOf(created), secret: text(created, "secret") };
}

/** Newest first. */
export async function listWebhooks(api: Api): Promise<Webhook[]> {
  return records(await api.read("GET", path), "webhooks").map(webhookOf);
}

export async function updateWebhook(api: Api, id: string, changes: Readonly<Record<string, unknown>>) {
  return webhookOf(await api.read("PATCH", pathOf(id), { body: changes }));
}

export async function deleteWebhook(api: Api, id: string): Promise<void> {
  await api.request("DELETE", pathOf(id));
}

export async function rotateWebhookSecret(api: Api, id: string) {
  return secretOf(await api.read("POST", `${pathOf(id)}/rotate`));
}

export async function rotateCallbackSecret(api: Api, projectId: string) {
  const project = `/api/admin/projects/${encodeURIComponent(projectId)}`;
  return secretOf(await api.read("POST", `${project}/callback-secret`));
}

export async function testWebhook(api: Api, id: string): Promise<Delivery> {
  return deliveryOf(await api.read("POST", `${pathOf(id)}/test`));
}

/** The newest ones, newest first. */
export async function listDeliveries(api: Api, id: string, query: Readonly<Record<string, string>>) {
  const search = new URLSearchParams(query).toString();
  const page = await api.read("GET", `${pathOf(id)}/deliveries${search === "" ? "" : `?${search}`}`);
  return records(page, "deliveries").map(deliveryOf);
}

export async function replayDelivery(api: Api, id: string, deliveryId: string): Promise<Delivery> {
  return deliveryOf(
    await api.read("POST", `${pathOf(id)}/deliveries/${encodeURIComponent(deliveryId)}/replay`),
  );
}

function webhookOf(webhook: Record<string, unknown>) {
  return {
    id: text(webhook, "id"),
    projectId: text(webhook, "projectId"),
    url: text(webhook, "url"),
    events: texts(webhook, "events"),
    agentId: optionalText(webhook, "agentId"),
    description: optionalText(webhook, "description"),
    enabled: webhook.enabled === true,
    pausedReason: optionalText(webhook, "pausedReason"),
    createdAt: text(webhook, "createdAt"),
    updatedAt: text(webhook, "updatedAt"),
  };
}

function deliveryOf(delivery: Record<string, unknown>) {
  return {
    id: text(delivery, "id"),
    eventId: text(delivery, "eventId"),
    type: text(delivery, "type"),
    status: text(delivery, "status"),
    attemptCount: integer(delivery, "attemptCount"),
    attempts: records(delivery, "attempts").map((attempt) => ({
      at: text(attempt, "at"),
      status: attempt.status === null ? null : integer(attempt, "status"),
      latencyMs: integer(attempt, "latencyMs"),
      problem: optionalText(attempt, "problem"),
      answer: optionalText(attempt, "answer"),
    })),
    nextAttemptAt: optionalText(delivery, "nextAttemptAt"),
    createdAt: text(delivery, "createdAt"),
    payload: record(JSON.parse(text(delivery, "payload"))),
  };
}

function secretOf(rotated: Record<string, unknown>) {
  return { secret: text(rotated, "secret"), earlierUntil: optionalText(rotated, "earlierUntil") };
}
