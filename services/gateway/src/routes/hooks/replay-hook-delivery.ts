import { type AddRoute, callFor } from "../../context.ts";
import { hookDeliveryParams, hookDeliveryReply } from "../../schemas/hooks.ts";
import { hookDeliveryJson } from "./hook-json.ts";

export const replayHookDelivery: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/workforce/agents/:id/hooks/:hookId/deliveries/:deliveryId/replay",
    schema: {
      operationId: "replayHookDelivery",
      tags: ["Hooks"],
      summary: "Carry out a delivery of a hook again",
      description:
        "The response is a delivery of its own with the same body. It follows the hook's current filter and templates, and sends the agent another message.",
      params: hookDeliveryParams,
      response: { 202: hookDeliveryReply },
    },
    handler: async (request, reply) => {
      const { id: agentId, hookId, deliveryId } = request.params;
      const call = callFor(context, request);
      const { delivery } = await context.hooks.replayHookDelivery({ agentId, hookId, deliveryId }, call);
      return reply.code(202).send(hookDeliveryJson(delivery));
    },
  });
