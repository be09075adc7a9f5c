import { type AddRoute, callFor } from "../../../context.ts";
import { hiredAgentParams, hiredAgentReply } from "../../../schemas/workforce-admin.ts";
import { hiredAgentJson } from "../workforce-agent-json.ts";

export const getHiredAgent: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/workforce/agents/:id",
    schema: {
      operationId: "getHiredAgent",
      tags: ["Workforce administration"],
      summary: "Read a workforce agent",
      description: "Returns its current status and everything that was set for it.",
      params: hiredAgentParams,
      response: { 200: hiredAgentReply },
    },
    handler: async (request) => {
      const { id: agentId } = request.params;
      const { agent } = await context.workforce.readHiredAgent({ agentId }, callFor(context, request));
      return hiredAgentJson(agent);
    },
  });
