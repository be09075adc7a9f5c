import { type AddRoute, callFor } from "../../../context.ts";
import { deleteKeyReply } from "../../../schemas/admin.ts";
import { hiredAgentKeyParams } from "../../../schemas/workforce-admin.ts";

export const deleteAgentKey: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/admin/workforce/agents/:id/keys/:keyId",
    schema: {
      operationId: "deleteAgentKey",
      tags: ["Workforce administration"],
      summary: "Delete a key of a workforce agent, which stops working everywhere",
      description: "Deleting a key twice succeeds.",
      params: hiredAgentKeyParams,
      response: { 200: deleteKeyReply },
    },
    handler: async (request) => {
      const { id: agentId, keyId } = request.params;
      await context.workforce.deleteAgentKey({ agentId, keyId }, callFor(context, request));
      return { id: keyId, deleted: true };
    },
  });
