import { type AddRoute, callFor } from "../../context.ts";
import { expectedRevisions, sendRevision } from "../../edge/http/revisions.ts";
import { ifMatch } from "../../schemas/common.ts";
import { hookParams, hookReply, updateHookBody } from "../../schemas/hooks.ts";
import { toRunConfig } from "../workforce/run-config.ts";
import { hookJson } from "./hook-json.ts";

export const updateHook: AddRoute = (app, context) =>
  app.route({
    method: "PATCH",
    url: "/api/admin/workforce/agents/:id/hooks/:hookId",
    config: {
      errors: ["CAPABILITY_NOT_DECLARED", "MODEL_NOT_RUNNABLE", "VERSION_MISMATCH"],
      sends: ["ETag"],
    },
    schema: {
      operationId: "updateHook",
      tags: ["Hooks"],
      summary: "Change a hook",
      description: "Deliveries that are carried out later follow the change. `verify` replaces the secret.",
      params: hookParams,
      headers: ifMatch,
      body: updateHookBody,
      response: { 200: hookReply },
    },
    handler: async (request, reply) => {
      const { id: agentId, hookId } = request.params;
      const { filter, threadKey, config, ...rest } = request.body;
      const { hook } = await context.hooks.updateHook(
        {
          ...{ ...rest, agentId, hookId, expectedRevisions: expectedRevisions(request) },
          ...(filter !== undefined && { filterJson: filter === null ? "" : JSON.stringify(filter) }),
          ...(threadKey !== undefined && { threadKey: threadKey ?? "" }),
          ...(config && { config: toRunConfig(config, "config") }),
        },
        callFor(context, request),
      );
      return sendRevision(reply, hookJson(hook));
    },
  });
