import { callFor } from "../../context.ts";
import { agentChangeReply, createAgentBody } from "../../schemas/agents.ts";
import type { AddRoute } from "../app.ts";
import { changeMessage } from "./change-message.ts";
import { definitionOf } from "./definition-body.ts";
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
      const { agentId, version, issues } = await context.agents.createAgent(
        { definition: definitionOf(request.body) },
        callFor(context, request),
      );
      const message = changeMessage("Agent created", issues);
      return reply.code(201).header("etag", etagOf(version)).send({ agentId, message });
    },
  });
