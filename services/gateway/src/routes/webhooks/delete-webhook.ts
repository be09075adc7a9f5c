import { type AddRoute, callFor } from "../../context.ts";
import { deleteWebhookReply, webhookParams } from "../../schemas/webhooks.ts";

export const deleteWebhook: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/admin/webhooks/:id",
    schema: {
      operationId: "deleteWebhook",
      tags: ["Webhooks"],
      summary: "Delete a webhook with its deliveries",
      params: webhookParams,
      response: { 200: deleteWebhookReply },
    },
    handler: async (request) => {
      const { id } = request.params;
      await context.webhooks.deleteWebhook({ webhookId: id }, callFor(context, request));
      return { id, deleted: true };
    },
  });
