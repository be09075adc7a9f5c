import { type AddRoute, callFor } from "../../context.ts";
import { pageOf } from "../../schemas/common.ts";
import { hookDeliveryListQuery, hookDeliveryListReply, hookParams } from "../../schemas/hooks.ts";
import { hookDeliveryJson } from "./hook-json.ts";

export const listHookDeliveries: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/workforce/agents/:id/hooks/:hookId/deliveries",
    schema: {
      operationId: "listHookDeliveries",
      tags: ["Hooks"],
      summary: "List the deliveries of a hook, newest first",
      description:
        "Returns one page. Continue with `nextCursor` until it is null. Deliveries are kept for 7 days.",
      params: hookParams,
      querystring: hookDeliveryListQuery,
      response: { 200: hookDeliveryListReply },
    },
    handler: async (request) => {
      const { id: agentId, hookId } = request.params;
      const { status, ...page } = request.query;
      const { deliveries, nextCursor } = await context.hooks.listHookDeliveries(
        { ...pageOf(page), agentId, hookId, ...(status !== undefined && { status }) },
        callFor(context, request),
      );
      return { deliveries: deliveries.map(hookDeliveryJson), nextCursor: nextCursor || null };
    },
  });
