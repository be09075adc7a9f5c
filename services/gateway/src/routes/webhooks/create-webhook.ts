import { type AddRoute, callFor } from "../../context.ts";
import { sendRevision } from "../../edge/http/revisions.ts";
import { createdWebhookReply, createWebhookBody } from "../../schemas/webhooks.ts";
import { webhookJson } from "./webhook-json.ts";

export const createWebhook: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/webhooks",
    config: { errors: ["SLUG_TAKEN"], sends: ["ETag"] },
    schema: {
      operationId: "createWebhook",
      tags: ["Webhooks"],
      summary: "Create a webhook",
      description:
        "Its URL receives the events of its types, as Standard Webhooks specifies: signed, at least once, and again until it answers with 2xx. Only this response contains the secret. A project has at most 50.",
      body: createWebhookBody,
      response: { 201: createdWebhookReply },
    },
    handler: async (request, reply) => {
      const { webhook, secret } = await context.webhooks.createWebhook(
        request.body,
        callFor(context, request),
      );
      return reply.code(201).send({ ...sendRevision(reply, webhookJson(webhook)), secret });
    },
  });
