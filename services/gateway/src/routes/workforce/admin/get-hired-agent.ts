import { type AddRoute, callFor } from "../../../context.ts";
import { sendRevision } from "../../../edge/http/revisions.ts";
import { hiredAgentParams, hiredAgentReply } from "../../../schemas/workforce-admin.ts";
import { hiredAgentJson } from "../workforce-agent-json.ts";

export const getHiredAgent: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/workforce/agents/:id",
    config: { sends: ["ETag"] },
    schema: {
      operationId: "getHiredAgent",
      tags: ["Workforce administration"],
      summary: "Read a workforce agent",
      description: "Returns its current status and everything that was set for it.",
      params: hiredAgentParams,
      response: { 200: hiredAgentReply },
    },
    handler: async (request, reply) => {
      const { id: agentId } = request.params;
      const { agent } = await context.workforce.readHiredAgent({ agentId }, callFor(context, request));
      return sendRevision(reply, hiredAgentJson(agent));
    },
  });
