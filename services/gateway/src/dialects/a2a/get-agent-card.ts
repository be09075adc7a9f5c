import { object } from "@muster/wire/schema";
import { type AddRoute, callFor } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { baseUrlOf } from "../../edge/http/headers.ts";
import { workforceAgentParams } from "../../schemas/workforce.ts";

const card = object("AgentCard", "The agent as A2A 1.0 describes it.", {}, { additionalProperties: true });

export const getAgentCard: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/a2a/:agentId/.well-known/agent-card.json",
    schema: {
      operationId: "getAgentCard",
      tags: ["Dialects"],
      summary: "Read the A2A card of a workforce agent",
      params: workforceAgentParams,
      response: { 200: card },
    },
    handler: async (request) => {
      const { agentId } = request.params;
      const { agent } = await context.workforce.getAgent({ agentId }, callFor(context, request));
      if (!agent) throw internalProblem(new Error("GetAgent returned no agent"));
      const modes = ["text/plain", "application/json"];
      const url = `${context.publicUrl ?? baseUrlOf(request) ?? ""}/api/a2a/${agentId}`;
      const description = `${agent.name} is a workforce agent: it works on one task after the other, on a computer of its own.`;
      return {
        ...{ name: agent.name, description, version: String(agent.hiredFrom?.version ?? 1) },
        supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
        capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
        securitySchemes: {
          key: { httpAuthSecurityScheme: { scheme: "Bearer", description: "A key of the agent." } },
        },
        securityRequirements: [{ schemes: { key: { list: [] } } }],
        ...{ defaultInputModes: modes, defaultOutputModes: modes },
        skills: [{ id: "work", name: "Work", description, tags: ["workforce"] }],
      };
    },
  });
