import { type AddRoute, callFor } from "../../context.ts";
import { pageOf } from "../../schemas/common.ts";
import { deliveryListQuery, deliveryListReply, webhookParams } from "../../schemas/webhooks.ts";
import { deliveryJson } from "./webhook-json.ts";

export const listDeliveries: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/webhooks/:id/deliveries",
    schema: {
      operationId: "listDeliveries",
      tags: ["Webhooks"],
      summary: "List the deliveries of a webhook, newest first",
      description:
        "Returns one page. Continue with `nextCursor` until it is null. Deliveries are kept for 7 days after their last attempt.",
      params: webhookParams,
      querystring: deliveryListQuery,
      response: { 200: deliveryListReply },
    },
    handler: async (request) => {
      const { status, ...page } = request.query;
      const { deliveries, nextCursor } = await context.webhooks.listDeliveries(
        { ...pageOf(page), webhookId: request.params.id, ...(status !== undefined && { status }) },
        callFor(context, request),
      );
      return { deliveries: deliveries.map(deliveryJson), nextCursor: nextCursor || null };
    },
  });
