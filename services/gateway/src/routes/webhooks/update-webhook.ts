import { type AddRoute, callFor } from "../../context.ts";
import { expectedRevisions, sendRevision } from "../../edge/http/revisions.ts";
import { ifMatch } from "../../schemas/common.ts";
import { updateWebhookBody, webhookParams, webhookReply } from "../../schemas/webhooks.ts";
import { webhookJson } from "./webhook-json.ts";

export const updateWebhook: AddRoute = (app, context) =>
  app.route({
    method: "PATCH",
    url: "/api/admin/webhooks/:id",
    config: { errors: ["VERSION_MISMATCH"], sends: ["ETag"] },
    schema: {
      operationId: "updateWebhook",
      tags: ["Webhooks"],
      summary: "Change a webhook",
      description:
        "Later events follow the change. `enabled: true` also ends a pause: the events that wait are sent at once.",
      params: webhookParams,
      headers: ifMatch,
      body: updateWebhookBody,
      response: { 200: webhookReply },
    },
    handler: async (request, reply) => {
      const { events, agentId, description, ...body } = request.body;
      const { webhook } = await context.webhooks.updateWebhook(
        {
          ...{ ...body, webhookId: request.params.id, expectedRevisions: expectedRevisions(request) },
          ...(events && { events: { types: events } }),
          ...(agentId !== undefined && { agentId: agentId ?? "" }),
          ...(description !== undefined && { description: description ?? "" }),
        },
        callFor(context, request),
      );
      return sendRevision(reply, webhookJson(webhook));
    },
  });
