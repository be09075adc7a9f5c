import { type AddRoute, callFor } from "../../context.ts";
import { hookListReply, hooksParams } from "../../schemas/hooks.ts";
import { hookJson } from "./hook-json.ts";

export const listHooks: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/workforce/agents/:id/hooks",
    schema: {
      operationId: "listHooks",
      tags: ["Hooks"],
      summary: "List the hooks of a workforce agent, newest first",
      params: hooksParams,
      response: { 200: hookListReply },
    },
    handler: async (request) => {
      const { id: agentId } = request.params;
      const { hooks } = await context.hooks.listHooks({ agentId }, callFor(context, request));
      return { hooks: hooks.map(hookJson) };
    },
  });
