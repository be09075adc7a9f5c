import { create } from "@bufbuild/protobuf";
import { CreateWebhookResponseSchema } from "@muster/proto/webhooks";
import { adminOf, Reason, rpcError } from "@muster/rpc";
import { readWebhook } from "../../input/read-webhook.ts";
import { insertNamed } from "../../input/slug.ts";
import type { WebhookDocument } from "../../store/webhook-document.ts";
import { showWebhook } from "../../views/show-webhook.ts";
import { rotateSecret } from "../../webhooks/secrets.ts";
import type { Handler } from "../handler.ts";

const maxWebhooks = 50;

export const createWebhook: Handler<"createWebhook"> = async (context, request, call) => {
  const { projectId } = adminOf(call);
  const { slug, ...settings } = readWebhook(context, request);
  if ((await context.webhooks.count(projectId)) >= maxWebhooks) throw tooMany();
  const now = new Date(context.clock.now());
  const _id = context.newId("whk");
  const { secret, secrets } = rotateSecret(context, { projectId, _id }, []);
  const created: WebhookDocument = {
    ...{ _id, projectId, ...settings, secrets },
    ...{ failures: 0, lease: null, epoch: 0, rev: 0, createdAt: now, updatedAt: now },
  };
  const { hostname: name } = new URL(settings.url);
  const change = { projectId, target: _id, after: settings };
  const audit = [context.auditEntry(call, "webhook.create", change)];
  const naming = { slug, name, kind: "webhook" };
  const webhook = await insertNamed({ ...created, audit }, naming, context.webhooks.insert);
  return create(CreateWebhookResponseSchema, { webhook: showWebhook(webhook), secret });
};

function tooMany() {
  const message = `The project has ${maxWebhooks} webhooks already. Delete one that is not needed.`;
  return rpcError(Reason.INVALID_REQUEST, message);
}
