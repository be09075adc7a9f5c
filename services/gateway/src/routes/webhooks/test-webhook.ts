import { type AddRoute, callFor } from "../../context.ts";
import { deliveryReply, webhookParams } from "../../schemas/webhooks.ts";
import { deliveryJson } from "./webhook-json.ts";

export const testWebhook: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/webhooks/:id/test",
    schema: {
      operationId: "testWebhook",
      tags: ["Webhooks"],
      summary: "Send a test event to a webhook",
      description:
        "Sends `webhook.test` once, even to a webhook that is not enabled, and responds with the outcome within 10 s.",
      params: webhookParams,
      response: { 200: deliveryReply },
    },
    handler: async (request) => {
      const { id: webhookId } = request.params;
      const { delivery } = await context.webhooks.testWebhook({ webhookId }, callFor(context, request));
      return deliveryJson(delivery);
    },
  });
