import { type AddRoute, callFor } from "../../context.ts";
import { webhookListReply } from "../../schemas/webhooks.ts";
import { webhookJson } from "./webhook-json.ts";

export const listWebhooks: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/webhooks",
    schema: {
      operationId: "listWebhooks",
      tags: ["Webhooks"],
      summary: "List the webhooks of the project, newest first",
      response: { 200: webhookListReply },
    },
    handler: async (request) => {
      const { webhooks } = await context.webhooks.listWebhooks({}, callFor(context, request));
      return { webhooks: webhooks.map(webhookJson) };
    },
  });
