import { type AddRoute, callFor } from "../../context.ts";
import { agentChangeReply, agentParams, agentQuery } from "../../schemas/agents.ts";
import { ifMatch } from "../../schemas/common.ts";
import { agentRef } from "./agent-messages.ts";
import { versionToExpect } from "./version-to-expect.ts";

export const archiveAgent: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/agents/:id",
    config: { errors: ["VERSION_MISMATCH"] },
    schema: {
      operationId: "archiveAgent",
      tags: ["Agents"],
      summary: "Archive an agent; its sessions keep working",
      description: "Frees the slug at once. Archiving an agent again by its id succeeds.",
      params: agentParams,
      querystring: agentQuery,
      headers: ifMatch,
      response: { 200: agentChangeReply },
    },
    handler: async (request) => {
      const agent = agentRef(request.params.id, request.query.by);
      const expectedVersion = await versionToExpect(context, request, agent);
      const { agentId } = await context.agents.archiveAgent(
        { agent, ...(expectedVersion === undefined ? {} : { expectedVersion }) },
        callFor(context, request),
      );
      return { agentId, message: "Agent archived" };
    },
  });
