import { type AddRoute, callFor } from "../../context.ts";
import { agentListReply } from "../../schemas/agents.ts";
import { isoOf } from "../../schemas/iso.ts";
import { storedFormatOf } from "./agent-messages.ts";

export const listAgents: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/agents",
    schema: {
      operationId: "listAgents",
      tags: ["Agents"],
      summary: "List agents, newest first",
      description: "Archived agents are not listed.",
      response: { 200: agentListReply },
    },
    handler: async (request) => {
      const { agents } = await context.agents.listAgents({}, callFor(context, request));
      return {
        agents: agents.map(({ id, projectId, settings, managed, createdAt, updatedAt }) => ({
          id,
          projectId,
          slug: settings?.slug ?? "",
          name: settings?.name ?? "",
          description: settings?.description ?? null,
          format: storedFormatOf(settings?.format),
          ...(managed && { managed }),
          createdAt: isoOf(createdAt),
          updatedAt: isoOf(updatedAt),
        })),
      };
    },
  });
