import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { DeliverySchema } from "@muster/proto/webhooks";
import type { DeliveryDocument } from "../store/webhook-document.ts";

export function showDelivery(delivery: DeliveryDocument) {
  const { _id: id, webhookId, eventId, type, status, payload, createdAt, dueAt } = delivery;
  return create(DeliverySchema, {
    ...{ id, webhookId, eventId, type, status, payload, attemptCount: delivery.attempts },
    attempts: delivery.log.map(({ at, ...attempt }) => ({ ...attempt, at: timestampFromDate(at) })),
    ...(dueAt && { nextAttemptAt: timestampFromDate(dueAt) }),
    createdAt: timestampFromDate(createdAt),
  });
}
