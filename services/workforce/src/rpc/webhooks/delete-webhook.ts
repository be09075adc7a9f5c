import { adminOf } from "@muster/rpc";
import type { Handler } from "../handler.ts";
import { refusalOfChange } from "./managed-webhook.ts";

/** Safe to repeat: the webhook is deleted last. It is disabled first, at the expected revision. */
export const deleteWebhook: Handler<"deleteWebhook"> = async (context, request, call) => {
  const { projectId } = adminOf(call);
  const key = { projectId, webhookId: request.webhookId };
  const expected = request.expectedRevisions;
  const now = new Date(context.clock.now());
  const disabled = await context.webhooks.update(key, { enabled: false }, now, expected);
  if (disabled === null) throw await refusalOfChange(context, key);
  await context.deliveries.deleteAll(key);
  await context.webhooks.delete(key);
  return {};
};
