import { callFor } from "../../context.ts";
import { agentChangeReply, createAgentBody } from "../../schemas/agents.ts";
import type { AddRoute } from "../app.ts";
import { toFormat } from "./agent-format.ts";
import { etagOf } from "./etag.ts";

export const createAgent: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/agents",
    config: { access: ["agents"] },
    schema: {
      tags: ["Agents"],
      summary: "Create an agent",
      body: createAgentBody,
      response: { 201: agentChangeReply },
    },
    handler: async (request, reply) => {
      const { settings, protocol, prompts, references = [] } = request.body;
      const { agentId, version } = await context.agents.createAgent(
        {
          definition: {
            settings: { ...settings, format: toFormat(settings.format) },
            protocol,
            prompts,
            references,
          },
        },
        callFor(context, request),
      );
      return reply.code(201).header("etag", etagOf(version)).send({ agentId, message: "Agent created" });
    },
  });
