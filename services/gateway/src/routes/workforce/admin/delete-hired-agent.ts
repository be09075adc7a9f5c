import { type AddRoute, callFor } from "../../../context.ts";
import { deletedAgentReply, hiredAgentParams } from "../../../schemas/workforce-admin.ts";

export const deleteHiredAgent: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/admin/workforce/agents/:id",
    schema: {
      operationId: "deleteHiredAgent",
      tags: ["Workforce administration"],
      summary: "Remove a workforce agent with its threads, its computer and its keys",
      description: "Its running work is cancelled first. Deleting an agent twice succeeds.",
      params: hiredAgentParams,
      response: { 200: deletedAgentReply },
    },
    handler: async (request) => {
      const { id: agentId } = request.params;
      await context.workforce.deleteAgent({ agentId }, callFor(context, request));
      return { agentId, deleted: true };
    },
  });
