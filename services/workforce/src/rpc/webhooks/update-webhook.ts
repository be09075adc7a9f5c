import { create } from "@bufbuild/protobuf";
import { UpdateWebhookResponseSchema } from "@muster/proto/webhooks";
import { adminOf } from "@muster/rpc";
import { readWebhookChanges } from "../../input/read-webhook.ts";
import { showWebhook } from "../../views/show-webhook.ts";
import type { Handler } from "../handler.ts";
import { refusalOfChange } from "./managed-webhook.ts";

export const updateWebhook: Handler<"updateWebhook"> = async (context, request, call) => {
  const { projectId } = adminOf(call);
  const key = { projectId, webhookId: request.webhookId };
  const changes = readWebhookChanges(context, request);
  const change = { projectId, target: key.webhookId, after: changes };
  const entry = context.auditEntry(call, "webhook.update", change);
  const now = new Date(context.clock.now());
  const webhook = await context.webhooks.update(key, changes, now, entry, request.expectedRevisions);
  if (webhook === null) throw await refusalOfChange(context, key);
  context.notices.wake(projectId);
  return create(UpdateWebhookResponseSchema, { webhook: showWebhook(webhook) });
};
