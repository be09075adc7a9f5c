import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { WebhookSchema } from "@muster/proto/webhooks";
import { revisionOf } from "@muster/store";
import { slugOf } from "../input/slug.ts";
import type { WebhookDocument } from "../store/webhook-document.ts";

export function showWebhook(webhook: WebhookDocument) {
  const { _id: id, projectId, url, events, enabled, createdAt, updatedAt } = webhook;
  const { agentId, description, pausedReason, managed = false } = webhook;
  return create(WebhookSchema, {
    ...{ id, projectId, url, events, enabled, managed },
    ...{ slug: slugOf(webhook), revision: revisionOf(webhook) },
    ...(agentId !== undefined && { agentId }),
    ...(description !== undefined && { description }),
    ...(pausedReason !== undefined && { pausedReason }),
    ...{ createdAt: timestampFromDate(createdAt), updatedAt: timestampFromDate(updatedAt) },
  });
}
