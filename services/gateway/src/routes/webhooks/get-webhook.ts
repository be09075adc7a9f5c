import { type AddRoute, callFor } from "../../context.ts";
import { sendRevision } from "../../edge/http/revisions.ts";
import { webhookParams, webhookReply } from "../../schemas/webhooks.ts";
import { webhookJson } from "./webhook-json.ts";

export const getWebhook: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/webhooks/:id",
    config: { sends: ["ETag"] },
    schema: {
      operationId: "getWebhook",
      tags: ["Webhooks"],
      summary: "Read a webhook",
      params: webhookParams,
      response: { 200: webhookReply },
    },
    handler: async (request, reply) => {
      const { id: webhookId } = request.params;
      const { webhook } = await context.webhooks.getWebhook({ webhookId }, callFor(context, request));
      return sendRevision(reply, webhookJson(webhook));
    },
  });
