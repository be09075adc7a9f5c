import { type AddRoute, callFor } from "../../../context.ts";
import { expectedRevisions } from "../../../edge/http/revisions.ts";
import { ifMatch } from "../../../schemas/common.ts";
import { deletedAgentReply, hiredAgentParams } from "../../../schemas/workforce-admin.ts";

export const deleteHiredAgent: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/admin/workforce/agents/:id",
    config: { errors: ["VERSION_MISMATCH"] },
    schema: {
      operationId: "deleteHiredAgent",
      tags: ["Workforce administration"],
      summary: "Remove a workforce agent with its threads, its computer and its keys",
      description: "Its running work is cancelled first. Deleting an agent twice succeeds.",
      params: hiredAgentParams,
      headers: ifMatch,
      response: { 200: deletedAgentReply },
    },
    handler: async (request) => {
      const { id: agentId } = request.params;
      const message = { agentId, expectedRevisions: expectedRevisions(request) };
      await context.workforce.deleteAgent(message, callFor(context, request));
      return { agentId, deleted: true };
    },
  });
