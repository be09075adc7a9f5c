import { type AddRoute, callFor } from "../../context.ts";
import { sendRevision } from "../../edge/http/revisions.ts";
import { createHookBody, hookReply, hooksParams } from "../../schemas/hooks.ts";
import { toRunConfig } from "../workforce/run-config.ts";
import { hookJson } from "./hook-json.ts";

export const createHook: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/workforce/agents/:id/hooks",
    config: { errors: ["SLUG_TAKEN", "CAPABILITY_NOT_DECLARED", "MODEL_NOT_RUNNABLE"], sends: ["ETag"] },
    schema: {
      operationId: "createHook",
      tags: ["Hooks"],
      summary: "Create a hook of a workforce agent",
      description:
        "Other systems post events to its `url`. Each one whose signature is right and whose body matches the filter becomes a message to the agent, once. An agent has at most 50.",
      params: hooksParams,
      body: createHookBody,
      response: { 201: hookReply },
    },
    handler: async (request, reply) => {
      const { filter, config, ...rest } = request.body;
      const { hook } = await context.hooks.createHook(
        {
          ...{ ...rest, agentId: request.params.id },
          ...(filter && { filterJson: JSON.stringify(filter) }),
          ...(config && { config: toRunConfig(config, "config") }),
        },
        callFor(context, request),
      );
      return reply.code(201).send(sendRevision(reply, hookJson(hook)));
    },
  });
