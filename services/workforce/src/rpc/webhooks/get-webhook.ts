import { create } from "@bufbuild/protobuf";
import { GetWebhookResponseSchema } from "@muster/proto/webhooks";
import { showWebhook } from "../../views/show-webhook.ts";
import type { Handler } from "../handler.ts";
import { managedWebhook } from "./managed-webhook.ts";

export const getWebhook: Handler<"getWebhook"> = async (context, { webhookId }, call) => {
  const webhook = await managedWebhook(context, webhookId, call);
  return create(GetWebhookResponseSchema, { webhook: showWebhook(webhook) });
};
