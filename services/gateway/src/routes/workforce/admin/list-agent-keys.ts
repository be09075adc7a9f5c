import { type AddRoute, callFor } from "../../../context.ts";
import { optionalIsoOf } from "../../../schemas/iso.ts";
import { agentKeyListReply, hiredAgentParams } from "../../../schemas/workforce-admin.ts";
import { agentKeyJson } from "./create-agent-key.ts";

export const listAgentKeys: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/workforce/agents/:id/keys",
    schema: {
      operationId: "listAgentKeys",
      tags: ["Workforce administration"],
      summary: "List the keys of a workforce agent, newest first, without their secrets",
      description: "Deleted keys are not listed.",
      params: hiredAgentParams,
      response: { 200: agentKeyListReply },
    },
    handler: async (request) => {
      const { id: agentId } = request.params;
      const { keys } = await context.workforce.listAgentKeys({ agentId }, callFor(context, request));
      return {
        keys: keys.map((key) => ({ ...agentKeyJson(key), lastUsedAt: optionalIsoOf(key.lastUsedAt) })),
      };
    },
  });
