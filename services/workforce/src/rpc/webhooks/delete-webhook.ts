import { adminOf } from "@muster/rpc";
import { unknownWebhook } from "../../store/refusals.ts";
import type { Handler } from "../handler.ts";

/** Safe to repeat: the webhook is deleted last. */
export const deleteWebhook: Handler<"deleteWebhook"> = async (context, { webhookId }, call) => {
  const { projectId } = adminOf(call);
  const key = { projectId, webhookId };
  if ((await context.webhooks.find(key)) === null) throw unknownWebhook();
  await context.deliveries.deleteAll(key);
  await context.webhooks.delete(key);
  return {};
};
