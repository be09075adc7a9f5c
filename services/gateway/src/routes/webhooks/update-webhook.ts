import { type AddRoute, callFor } from "../../context.ts";
import { updateWebhookBody, webhookParams, webhookReply } from "../../schemas/webhooks.ts";
import { webhookJson } from "./webhook-json.ts";

export const updateWebhook: AddRoute = (app, context) =>
  app.route({
    method: "PATCH",
    url: "/api/admin/webhooks/:id",
    schema: {
      operationId: "updateWebhook",
      tags: ["Webhooks"],
      summary: "Change a webhook",
      description:
        "Events that happen later are sent as it says. `enabled: true` also ends a pause: the events that wait are sent at once.",
      params: webhookParams,
      body: updateWebhookBody,
      response: { 200: webhookReply },
    },
    handler: async (request) => {
      const { events, agentId, description, ...body } = request.body;
      const { webhook } = await context.webhooks.updateWebhook(
        {
          ...{ ...body, webhookId: request.params.id },
          ...(events && { events: { types: events } }),
          ...(agentId !== undefined && { agentId: agentId ?? "" }),
          ...(description !== undefined && { description: description ?? "" }),
        },
        callFor(context, request),
      );
      return webhookJson(webhook);
    },
  });
