import { type AddRoute, callFor } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { workforceAgentParams, workforceAgentReply } from "../../schemas/workforce.ts";
import { workforceAgentJson } from "./workforce-agent-json.ts";

export const getWorkforceAgent: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/v1/workforce/agents/:agentId",
    schema: {
      operationId: "getWorkforceAgent",
      tags: ["Workforce"],
      summary: "Read the agent of the key with its current status",
      description:
        "The status is computed for each request, so it includes a message that was just accepted.",
      params: workforceAgentParams,
      response: { 200: workforceAgentReply },
    },
    handler: async (request) => {
      const { agentId } = request.params;
      const { agent } = await context.workforce.getAgent({ agentId }, callFor(context, request));
      if (!agent) throw internalProblem(new Error("GetAgent returned no agent"));
      return workforceAgentJson(agent);
    },
  });
