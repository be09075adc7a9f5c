import type { HandlerContext } from "@connectrpc/connect";
import { adminOf, revisionMismatch } from "@muster/rpc";
import type { WorkforceContext } from "../../context.ts";
import { unknownWebhook } from "../../store/refusals.ts";
import type { WebhookDocument, WebhookKey } from "../../store/webhook-document.ts";

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

/** Why a conditional change found nothing: NOT_FOUND or VERSION_MISMATCH. */
export async function refusalOfChange({ webhooks }: Pick<WorkforceContext, "webhooks">, key: WebhookKey) {
  const webhook = await webhooks.find(key);
  return webhook === null ? unknownWebhook() : revisionMismatch("webhook");
}
