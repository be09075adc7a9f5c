import { type AddRoute, callFor } from "../../context.ts";
import { deliveryParams, deliveryReply } from "../../schemas/webhooks.ts";
import { deliveryJson } from "./webhook-json.ts";

export const replayDelivery: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/webhooks/:id/deliveries/:deliveryId/replay",
    schema: {
      operationId: "replayDelivery",
      tags: ["Webhooks"],
      summary: "Send a delivery again",
      description:
        "It is sent at once, under the same `webhook-id`, and again until the receiver accepts it.",
      params: deliveryParams,
      response: { 202: deliveryReply },
    },
    handler: async (request, reply) => {
      const { id: webhookId, deliveryId } = request.params;
      const call = callFor(context, request);
      const { delivery } = await context.webhooks.replayDelivery({ webhookId, deliveryId }, call);
      return reply.code(202).send(deliveryJson(delivery));
    },
  });
