import { type AddRoute, callFor } from "../../context.ts";
import { etagOf } from "../../edge/http/revisions.ts";
import { agentChangeReply, createAgentBody } from "../../schemas/agents.ts";
import { changeMessage, definitionOf } from "./agent-messages.ts";
import { mcpServerSlugs } from "./mcp-server-slugs.ts";

export const createAgent: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/agents",
    config: { errors: ["INVALID_DEFINITION", "SLUG_TAKEN"], sends: ["ETag"] },
    schema: {
      operationId: "createAgent",
      tags: ["Agents"],
      summary: "Create an agent",
      description: "Stores version 1 of the definition, unless it has errors.",
      body: createAgentBody,
      response: { 201: agentChangeReply },
    },
    handler: async (request, reply) => {
      const { agentId, version, issues } = await context.agents.createAgent(
        {
          definition: definitionOf(request.body),
          managed: request.body.managed ?? false,
          ...(await mcpServerSlugs(context, request)),
        },
        callFor(context, request),
      );
      const message = changeMessage("Agent created", issues);
      return reply.code(201).header("etag", etagOf(version)).send({ agentId, message });
    },
  });
