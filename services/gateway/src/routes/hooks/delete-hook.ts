import { type AddRoute, callFor } from "../../context.ts";
import { expectedRevisions } from "../../edge/http/revisions.ts";
import { ifMatch } from "../../schemas/common.ts";
import { deleteHookReply, hookParams } from "../../schemas/hooks.ts";

export const deleteHook: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/admin/workforce/agents/:id/hooks/:hookId",
    config: { errors: ["VERSION_MISMATCH"] },
    schema: {
      operationId: "deleteHook",
      tags: ["Hooks"],
      summary: "Delete a hook with its deliveries",
      description: "Deliveries that have not been carried out are lost. Threads that it has started stay.",
      params: hookParams,
      headers: ifMatch,
      response: { 200: deleteHookReply },
    },
    handler: async (request) => {
      const { id: agentId, hookId } = request.params;
      const message = { agentId, hookId, expectedRevisions: expectedRevisions(request) };
      await context.hooks.deleteHook(message, callFor(context, request));
      return { id: hookId, deleted: true };
    },
  });
