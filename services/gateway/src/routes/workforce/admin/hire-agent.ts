import type { MessageInitShape } from "@bufbuild/protobuf";
import { Reason } from "@muster/proto/errors";
import type { HireAgentRequestSchema } from "@muster/proto/workforce";
import { readRpcError } from "@muster/rpc";
import { decimalOf } from "@muster/service/money";
import type { Static } from "@muster/wire/schema";
import type { FastifyRequest } from "fastify";
import { type AddRoute, callFor, type GatewayContext } from "../../../context.ts";
import { badRequest } from "../../../edge/errors/from-any.ts";
import { sendRevision } from "../../../edge/http/revisions.ts";
import { hireAgentBody, hireAgentReply } from "../../../schemas/workforce-admin.ts";
import { agentIdOf, agentOf } from "../../agents/agent-named.ts";
import { toRunConfig } from "../run-config.ts";
import { hiredAgentJson, warningsJson } from "../workforce-agent-json.ts";

export const hireAgent: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/workforce/agents",
    config: {
      sends: ["Cache-Control", "ETag"],
      errors: [
        "SLUG_TAKEN",
        "MODEL_NOT_RUNNABLE",
        "CAPABILITY_NOT_DECLARED",
        "INVALID_INPUT",
        "AGENT_ARCHIVED",
      ],
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
        toHireMessage(request.body, await definitionOf(context, request, request.body)),
        callFor(context, request),
      );
      return reply
        .code(201)
        .header("cache-control", "no-store")
        .send({
          ...sendRevision(reply, hiredAgentJson(agent)),
          warnings: warningsJson(unexecutedTools),
          key,
        });
    },
  });

type HireBody = Static<typeof hireAgentBody>;

type HireMessage = MessageInitShape<typeof HireAgentRequestSchema>;

function toHireMessage(
  {
    name,
    slug,
    managed,
    paused,
    computer,
    computerId,
    settings,
    capabilities = {},
    limits,
    approvals,
    input,
  }: HireBody,
  definition: HireMessage["definition"],
): HireMessage {
  return {
    name,
    ...(slug !== undefined && { slug }),
    managed: managed ?? false,
    paused: paused ?? false,
    ...(definition && { definition }),
    computer: toComputer(computer, computerId),
    ...(settings !== undefined && { settings: toRunConfig(settings, "settings") }),
    capabilities,
    ...(limits !== undefined && { limits: toLimits(limits) }),
    approvals: approvals ?? {},
    inputJson: input === undefined ? "" : JSON.stringify(input),
  };
}

/** Throws INVALID_REQUEST if both are given. */
function toComputer(computer: HireBody["computer"], id: string | undefined) {
  if (id === undefined) return { kind: computer?.kind ?? "sandbox", os: computer?.os ?? "linux" };
  if (computer === undefined) return { id };
  throw badRequest("body", [{ path: "computerId", message: "must not be given together with computer" }]);
}

/** Throws INVALID_REQUEST unless the body names the definition in exactly one way, and by a slug that exists. */
async function definitionOf(
  context: GatewayContext,
  request: FastifyRequest,
  { agentId, agentSlug, prebuilt }: HireBody,
): Promise<HireMessage["definition"]> {
  const [name, ...others] = [agentId, agentSlug, prebuilt].filter((given) => given !== undefined);
  if (name === undefined || others.length > 0)
    throw badRequest("body", [
      { path: "agentId", message: "must be given, or agentSlug, or prebuilt, but not two of them" },
    ]);
  if (prebuilt !== undefined) return { case: "prebuilt", value: prebuilt };
  const value = await agentIdOf(context, request, agentOf({ agentId, agentSlug })).catch((error: unknown) => {
    if (readRpcError(error).reason !== Reason.NOT_FOUND) throw error;
    throw badRequest("body", [
      { path: "agentSlug", message: "must be the slug of an agent of this project" },
    ]);
  });
  return { case: "definitionId", value };
}

function toLimits({ monthlyUsd, monthlyTokens, monthlyRuns }: NonNullable<HireBody["limits"]>) {
  return {
    ...(monthlyUsd != null && { monthlyUsd: decimalOf(monthlyUsd) }),
    ...(monthlyTokens != null && { monthlyTokens: BigInt(monthlyTokens) }),
    ...(monthlyRuns != null && { monthlyRuns }),
  };
}
