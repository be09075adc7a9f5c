import { type AddRoute, callFor } from "../../context.ts";
import { rotatedSecretReply, webhookParams } from "../../schemas/webhooks.ts";
import { rotatedSecretJson } from "./webhook-json.ts";

export const rotateWebhookSecret: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/webhooks/:id/rotate",
    schema: {
      operationId: "rotateWebhookSecret",
      tags: ["Webhooks"],
      summary: "Replace the secret of a webhook",
      description: "Both secrets sign for 24 hours. Only this response contains the new one.",
      params: webhookParams,
      response: { 200: rotatedSecretReply },
    },
    handler: async (request) => {
      const { id: webhookId } = request.params;
      const rotated = await context.webhooks.rotateWebhookSecret({ webhookId }, callFor(context, request));
      return rotatedSecretJson(rotated);
    },
  });
