import { callFor } from "../../context.ts";
import { validateAgentBody, validationReply } from "../../schemas/agents.ts";
import type { AddRoute } from "../app.ts";
import { definitionOf } from "./definition-body.ts";
import { validationReport } from "./validation-report.ts";

export const validateAgent: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/agents/validate",
    schema: {
      operationId: "validateAgent",
      tags: ["Agents"],
      summary: "Check a definition without storing it",
      description: "Reports every problem that creating the agent would report.",
      body: validateAgentBody,
      response: { 200: validationReply },
    },
    handler: async (request) => {
      const { issues } = await context.agents.validateAgent(
        { definition: definitionOf(request.body) },
        callFor(context, request),
      );
      return validationReport(issues);
    },
  });
