import { type AddRoute, callFor } from "../../context.ts";
import { webhookParams, webhookReply } from "../../schemas/webhooks.ts";
import { webhookJson } from "./webhook-json.ts";

export const getWebhook: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/webhooks/:id",
    schema: {
      operationId: "getWebhook",
      tags: ["Webhooks"],
      summary: "Read a webhook",
      params: webhookParams,
      response: { 200: webhookReply },
    },
    handler: async (request) => {
      const { id: webhookId } = request.params;
      const { webhook } = await context.webhooks.getWebhook({ webhookId }, callFor(context, request));
      return webhookJson(webhook);
    },
  });
