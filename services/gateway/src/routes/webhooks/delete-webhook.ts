import { type AddRoute, callFor } from "../../context.ts";
import { expectedRevisions } from "../../edge/http/revisions.ts";
import { ifMatch } from "../../schemas/common.ts";
import { deleteWebhookReply, webhookParams } from "../../schemas/webhooks.ts";

export const deleteWebhook: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/admin/webhooks/:id",
    config: { errors: ["VERSION_MISMATCH"] },
    schema: {
      operationId: "deleteWebhook",
      tags: ["Webhooks"],
      summary: "Delete a webhook with its deliveries",
      params: webhookParams,
      headers: ifMatch,
      response: { 200: deleteWebhookReply },
    },
    handler: async (request) => {
      const { id } = request.params;
      const message = { webhookId: id, expectedRevisions: expectedRevisions(request) };
      await context.webhooks.deleteWebhook(message, callFor(context, request));
      return { id, deleted: true };
    },
  });
