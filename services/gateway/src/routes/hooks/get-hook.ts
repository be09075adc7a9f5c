import { type AddRoute, callFor } from "../../context.ts";
import { sendRevision } from "../../edge/http/revisions.ts";
import { hookParams, hookReply } from "../../schemas/hooks.ts";
import { hookJson } from "./hook-json.ts";

export const getHook: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/workforce/agents/:id/hooks/:hookId",
    config: { sends: ["ETag"] },
    schema: {
      operationId: "getHook",
      tags: ["Hooks"],
      summary: "Read a hook",
      params: hookParams,
      response: { 200: hookReply },
    },
    handler: async (request, reply) => {
      const { id: agentId, hookId } = request.params;
      const { hook } = await context.hooks.getHook({ agentId, hookId }, callFor(context, request));
      return sendRevision(reply, hookJson(hook));
    },
  });
