import { create } from "@bufbuild/protobuf";
import { TestWebhookResponseSchema } from "@muster/proto/webhooks";
import { webhookTestType as type } from "@muster/wire/webhook-events";
import { unknownWebhook } from "../../store/refusals.ts";
import { type DeliveryDocument, keyOfWebhook } from "../../store/webhook-document.ts";
import { showDelivery } from "../../views/show-delivery.ts";
import { sendDelivery } from "../../webhooks/send-delivery.ts";
import { keepMs } from "../../webhooks/send-due.ts";
import type { Handler } from "../handler.ts";
import { managedWebhook } from "./managed-webhook.ts";

/** Stores the event before it is sent, like any other; it is sent once. */
export const testWebhook: Handler<"testWebhook"> = async (context, { webhookId }, call) => {
  const webhook = await managedWebhook(context, webhookId, call);
  const { clock, newId, deliveries } = context;
  const now = new Date(clock.now());
  const data = { projectId: webhook.projectId, webhookId };
  const delivery: DeliveryDocument = {
    ...{ _id: newId("dlv"), ...keyOfWebhook(webhook), eventId: newId("evt"), type },
    payload: JSON.stringify({ type, timestamp: now.toISOString(), sequence: 1, data }),
    ...{ status: "failed", attempts: 0, tries: 0, log: [], createdAt: now },
    expiresAt: new Date(now.getTime() + keepMs),
  };
  await deliveries.insert([delivery]);
  const { attempt, outcome } = await sendDelivery(context, webhook, delivery, call.signal);
  const status = outcome === "accepted" ? "delivered" : "failed";
  const { expiresAt } = delivery;
  const tested = await deliveries.noteAttempt(delivery, attempt, { status, expiresAt });
  if (tested === null) throw unknownWebhook();
  return create(TestWebhookResponseSchema, { delivery: showDelivery(tested) });
};
