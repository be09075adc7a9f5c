import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HireAgentRequestSchema } from "@muster/proto/workforce";
import { decimalOf } from "@muster/service/money";
import type { Static } from "@muster/wire/schema";
import { type AddRoute, callFor } from "../../../context.ts";
import { badRequest } from "../../../edge/errors/from-any.ts";
import { hireAgentBody, hireAgentReply } from "../../../schemas/workforce-admin.ts";
import { toRunConfig } from "../run-config.ts";
import { hiredAgentJson, warningsJson } from "../workforce-agent-json.ts";

export const hireAgent: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/workforce/agents",
    config: {
      sends: ["Cache-Control"],
      errors: ["MODEL_NOT_RUNNABLE", "CAPABILITY_NOT_DECLARED", "INVALID_INPUT", "AGENT_ARCHIVED"],
    },
    schema: {
      operationId: "hireAgent",
      tags: ["Workforce administration"],
      summary: "Hire a workforce agent",
      description:
        "Gives an agent definition, pinned at its latest version, a computer, a queue and keys of its own. Returns the first key, which is shown only once.",
      body: hireAgentBody,
      response: { 201: hireAgentReply },
    },
    handler: async (request, reply) => {
      const { agent, key, unexecutedTools } = await context.workforce.hireAgent(
        toHireMessage(request.body),
        callFor(context, request),
      );
      return reply
        .code(201)
        .header("cache-control", "no-store")
        .send({ ...hiredAgentJson(agent), warnings: warningsJson(unexecutedTools), key });
    },
  });

type HireBody = Static<typeof hireAgentBody>;

function toHireMessage(body: HireBody): MessageInitShape<typeof HireAgentRequestSchema> {
  const { name, computer, settings, capabilities = {}, limits, input } = body;
  return {
    name,
    definition: definitionOf(body),
    computer: { kind: computer?.kind ?? "sandbox", os: computer?.os ?? "linux" },
    ...(settings !== undefined && { settings: toRunConfig(settings, "settings") }),
    capabilities,
    ...(limits !== undefined && { limits: toLimits(limits) }),
    inputJson: input === undefined ? "" : JSON.stringify(input),
  };
}

/** Throws INVALID_REQUEST unless the body names the definition in exactly one way. */
function definitionOf({ agentId, prebuilt }: HireBody) {
  if (agentId !== undefined && prebuilt === undefined)
    return { case: "definitionId", value: agentId } as const;
  if (prebuilt !== undefined && agentId === undefined) return { case: "prebuilt", value: prebuilt } as const;
  throw badRequest("body", [{ path: "agentId", message: "must be given, or prebuilt, but not both" }]);
}

function toLimits({ monthlyUsd, monthlyTokens, monthlyRuns }: NonNullable<HireBody["limits"]>) {
  return {
    ...(monthlyUsd != null && { monthlyUsd: decimalOf(monthlyUsd) }),
    ...(monthlyTokens != null && { monthlyTokens: BigInt(monthlyTokens) }),
    ...(monthlyRuns != null && { monthlyRuns }),
  };
}
