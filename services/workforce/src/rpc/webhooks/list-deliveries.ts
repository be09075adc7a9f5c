import { create } from "@bufbuild/protobuf";
import { ListDeliveriesResponseSchema } from "@muster/proto/webhooks";
import { invalidRequest, pageOf, readPage } from "@muster/rpc";
import { type DeliveryDocument, deliveryStatuses, keyOfWebhook } from "../../store/webhook-document.ts";
import { showDelivery } from "../../views/show-delivery.ts";
import type { Handler } from "../handler.ts";
import { managedWebhook } from "./managed-webhook.ts";

export const listDeliveries: Handler<"listDeliveries"> = async (context, request, call) => {
  const { size, before } = readPage(request);
  const status = readStatus(request.status);
  const webhook = await managedWebhook(context, request.webhookId, call);
  const which = { before, ...(status && { status }) };
  const found = await context.deliveries.list(keyOfWebhook(webhook), which, size + 1);
  const { items, nextCursor } = pageOf(found, size);
  return create(ListDeliveriesResponseSchema, { deliveries: items.map(showDelivery), nextCursor });
};

function readStatus(text: string | undefined): DeliveryDocument["status"] | undefined {
  const status = deliveryStatuses.find((known) => known === text);
  if (text === undefined || status !== undefined) return status;
  throw invalidRequest("status", `must be one of ${deliveryStatuses.join(", ")}`);
}
