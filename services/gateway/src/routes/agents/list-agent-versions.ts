import { type AddRoute, callFor } from "../../context.ts";
import { agentParams, agentQuery, agentVersionsReply } from "../../schemas/agents.ts";
import { isoOf } from "../../schemas/iso.ts";
import { agentRef } from "./agent-messages.ts";

export const listAgentVersions: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/agents/:id/versions",
    schema: {
      operationId: "listAgentVersions",
      tags: ["Agents"],
      summary: "List an agent's versions, newest first",
      description: "Each accepted change of an agent makes a version, which never changes.",
      params: agentParams,
      querystring: agentQuery,
      response: { 200: agentVersionsReply },
    },
    handler: async (request) => {
      const { versions } = await context.agents.listAgentVersions(
        { agent: agentRef(request.params.id, request.query.by) },
        callFor(context, request),
      );
      return {
        versions: versions.map(({ version, createdAt, changes }) => ({
          version,
          createdAt: isoOf(createdAt),
          changes,
        })),
      };
    },
  });
