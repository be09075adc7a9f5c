import { create } from "@bufbuild/protobuf";
import { ReplayDeliveryResponseSchema } from "@muster/proto/webhooks";
import { unknownDelivery } from "../../store/refusals.ts";
import { keyOfWebhook } from "../../store/webhook-document.ts";
import { showDelivery } from "../../views/show-delivery.ts";
import { maxWaitMs } from "../../webhooks/publish-notice.ts";
import type { Handler } from "../handler.ts";
import { managedWebhook } from "./managed-webhook.ts";

export const replayDelivery: Handler<"replayDelivery"> = async (context, request, call) => {
  const key = keyOfWebhook(await managedWebhook(context, request.webhookId, call));
  const now = new Date(context.clock.now());
  const expiresAt = new Date(now.getTime() + maxWaitMs);
  const { deliveryId } = request;
  const delivery = await context.deliveries.replay({ ...key, deliveryId }, now, expiresAt);
  if (delivery === null) throw unknownDelivery();
  await context.webhooks.becomeDue(key.projectId, [key.webhookId], now);
  context.notices.wake(key.projectId);
  return create(ReplayDeliveryResponseSchema, { delivery: showDelivery(delivery) });
};
