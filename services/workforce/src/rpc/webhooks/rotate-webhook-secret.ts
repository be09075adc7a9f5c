import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { RotateWebhookSecretResponseSchema } from "@muster/proto/webhooks";
import { keyOfWebhook } from "../../store/webhook-document.ts";
import { rotateSecret } from "../../webhooks/secrets.ts";
import type { Handler } from "../handler.ts";
import { managedWebhook } from "./managed-webhook.ts";

export const rotateWebhookSecret: Handler<"rotateWebhookSecret"> = async (context, request, call) => {
  const webhook = await managedWebhook(context, request.webhookId, call);
  const { secret, secrets, earlierUntil } = rotateSecret(context, webhook, webhook.secrets);
  const now = new Date(context.clock.now());
  const { projectId, _id: target } = webhook;
  const entry = context.auditEntry(call, "webhook.rotate", { projectId, target });
  const rotated = await context.webhooks.replaceSecrets(keyOfWebhook(webhook), webhook, secrets, now, entry);
  // Another change came first.
  if (rotated === null) return rotateWebhookSecret(context, request, call);
  return create(RotateWebhookSecretResponseSchema, {
    secret,
    ...(earlierUntil && { earlierUntil: timestampFromDate(earlierUntil) }),
  });
};
