import type { HandlerContext } from "@connectrpc/connect";
import { adminOf } from "@muster/rpc";
import type { WorkforceContext } from "../../context.ts";
import { unknownWebhook } from "../../store/refusals.ts";
import type { WebhookDocument } from "../../store/webhook-document.ts";

/** A webhook of the caller's project. Throws NOT_FOUND. */
export async function managedWebhook(
  { webhooks }: Pick<WorkforceContext, "webhooks">,
  webhookId: string,
  call: HandlerContext,
): Promise<WebhookDocument> {
  const { projectId } = adminOf(call);
  const webhook = await webhooks.find({ projectId, webhookId });
  if (webhook === null) throw unknownWebhook();
  return webhook;
}
