import { flag, integer, list, nullable, object, oneOf, optional, Type, text } from "@muster/wire/schema";
import { webhookEventTypes } from "@muster/wire/webhook-events";
import {
  body,
  idOf,
  managed,
  nextCursor,
  pageQuery,
  revision,
  segmentOf,
  slug,
  slugShown,
  timeOf,
} from "./common.ts";
import { createWebhookExample, updateWebhookExample } from "./examples.ts";

const id = segmentOf("The id of the webhook.");
export const webhookParams = Type.Object({ id });
export const deliveryParams = Type.Object({ id, deliveryId: segmentOf("The id of the delivery.") });
export const callbackSecretParams = Type.Object({ projectId: segmentOf("The id of the project.") });

const url = text(
  "The receiver: an https URL at a public address, or on one of the hosts in `WEBHOOK_ALLOWED_HOSTS`.",
  { minLength: 1, maxLength: 2_000 },
);
const eventType = oneOf("A type of event.", [...webhookEventTypes]);
const events = list("The types of events to send.", eventType, {
  minItems: 1,
  maxItems: webhookEventTypes.length,
});
const agentId = idOf("The only agent whose events are sent: a workforce agent, or one with sessions.");
const description = text("A note for users.", { maxLength: 500 });
const enabled = flag("False if nothing is sent, and later events are not kept.");

export const createWebhookBody = body(
  "CreateWebhookRequest",
  "The receiver, and its events.",
  createWebhookExample,
  {
    url,
    events,
    agentId: optional(agentId),
    description: optional(description),
    enabled: optional({ ...enabled, default: true }),
    slug: optional({ ...slug, description: "Unique in the project. Default: derived from the host." }),
    managed: optional(managed),
  },
);

export const updateWebhookBody = body(
  "UpdateWebhookRequest",
  "Absent members stay unchanged.",
  updateWebhookExample,
  {
    url: optional(url),
    events: optional(events),
    agentId: optional(nullable("The only agent whose events are sent; null for all.", agentId)),
    description: optional(nullable("A note for users; null for none.", description)),
    enabled: optional(enabled),
    managed: optional(managed),
  },
);

const webhookFields = {
  id: text("The id of the webhook."),
  projectId: text("The project that it belongs to."),
  slug: slugShown,
  url: text("The receiver."),
  events: list("The types of events that are sent.", Type.String()),
  agentId: nullable("The only agent whose events are sent; null for all."),
  description: nullable("A note for users; null for none."),
  enabled,
  pausedReason: nullable(
    "Why the platform sends nothing until `enabled` is set to true again; null if it does.",
  ),
  revision,
  managed,
  createdAt: timeOf("When it was created."),
  updatedAt: timeOf("When it was last changed."),
};

export const webhookReply = object("Webhook", "A URL that receives events of the project.", webhookFields);

export const createdWebhookReply = object("CreatedWebhook", "The webhook, with its secret.", {
  ...webhookFields,
  secret: text("`whsec_` and base64: signs each event. It is shown only once."),
});

export const webhookListReply = object("WebhookList", "The webhooks of the project.", {
  webhooks: list("Newest first.", webhookReply),
});

export const deleteWebhookReply = object("DeletedWebhook", "Nothing more is sent to it.", {
  id: text("The id of the webhook."),
  deleted: flag("True."),
});

export const rotatedSecretReply = object("RotatedSecret", "The new secret.", {
  secret: text("`whsec_` and base64. It is shown only once."),
  earlierUntil: nullable("When the earlier one stops signing, in ISO 8601; null if there was none."),
});

const attempt = object("WebhookAttempt", "A request to the receiver.", {
  at: timeOf("When it was sent."),
  status: nullable("The HTTP status of the answer; null without one.", Type.Integer()),
  latencyMs: integer("How long the answer took, or until the attempt had failed, in milliseconds."),
  problem: nullable("Why it has failed; null if the receiver has accepted the event."),
  answer: nullable("The first KiB of the answer; null if there was none."),
});

export const deliveryReply = object("WebhookDelivery", "An event for the webhook.", {
  id: text("The id of the delivery."),
  webhookId: text("The webhook that it is for."),
  eventId: text("The id of the event: the header `webhook-id` of each attempt."),
  type: text("The type of the event."),
  status: text("`pending`, `delivered` or `failed`."),
  attempts: list("The latest ten, oldest first.", attempt),
  attemptCount: integer("How many attempts there were."),
  nextAttemptAt: nullable("When it is sent next, in ISO 8601; null if it is not."),
  createdAt: timeOf("When the event was stored for the webhook."),
  payload: text("The body of each attempt: JSON."),
});

export const deliveryListQuery = Type.Object({
  status: optional(text("`pending`, `delivered` or `failed`. Default: all.", { maxLength: 20 })),
  ...pageQuery("deliveries", 50),
});

export const deliveryListReply = object("WebhookDeliveryList", "A page of deliveries.", {
  deliveries: list("Newest first.", deliveryReply),
  nextCursor,
});
