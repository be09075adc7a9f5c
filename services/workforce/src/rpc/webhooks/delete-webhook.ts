import { adminOf } from "@muster/rpc";
import type { Handler } from "../handler.ts";
import { refusalOfChange } from "./managed-webhook.ts";

/** If the process dies before the deliveries are deleted, they expire. */
export const deleteWebhook: Handler<"deleteWebhook"> = async (context, request, call) => {
  const { projectId } = adminOf(call);
  const key = { projectId, webhookId: request.webhookId };
  const expected = request.expectedRevisions;
  const entry = context.auditEntry(call, "webhook.delete", { projectId, target: key.webhookId });
  if (!(await context.webhooks.bury(key, entry, expected))) throw await refusalOfChange(context, key);
  await context.deliveries.deleteAll(key);
  return {};
};
