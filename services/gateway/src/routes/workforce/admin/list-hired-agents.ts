import { type AddRoute, callFor } from "../../../context.ts";
import { pageOf } from "../../../schemas/common.ts";
import { hiredAgentListQuery, hiredAgentListReply } from "../../../schemas/workforce-admin.ts";
import { hiredAgentJson } from "../workforce-agent-json.ts";

export const listHiredAgents: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/workforce/agents",
    schema: {
      operationId: "listHiredAgents",
      tags: ["Workforce administration"],
      summary: "List the workforce agents of the project, newest first",
      description: "Returns one page. Continue with `nextCursor` until it is null.",
      querystring: hiredAgentListQuery,
      response: { 200: hiredAgentListReply },
    },
    handler: async (request) => {
      const call = callFor(context, request);
      const { agents, nextCursor } = await context.workforce.listAgents(pageOf(request.query), call);
      return { agents: agents.map(hiredAgentJson), nextCursor: nextCursor || null };
    },
  });
