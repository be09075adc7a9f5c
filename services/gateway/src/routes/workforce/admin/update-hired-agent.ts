import type { MessageInitShape } from "@bufbuild/protobuf";
import type { UpdateAgentRequestSchema } from "@muster/proto/workforce";
import { decimalOf } from "@muster/service/money";
import type { Static } from "@muster/wire/schema";
import { type AddRoute, callFor } from "../../../context.ts";
import { hiredAgentParams, hiredAgentReply, updateHiredAgentBody } from "../../../schemas/workforce-admin.ts";
import { toRunConfig } from "../run-config.ts";
import { hiredAgentJson } from "../workforce-agent-json.ts";

export const updateHiredAgent: AddRoute = (app, context) =>
  app.route({
    method: "PATCH",
    url: "/api/admin/workforce/agents/:id",
    config: { errors: ["MODEL_NOT_RUNNABLE", "CAPABILITY_NOT_DECLARED"] },
    schema: {
      operationId: "updateHiredAgent",
      tags: ["Workforce administration"],
      summary: "Pause or resume a workforce agent, or change its settings and limits",
      description:
        "Runs that are in flight keep their settings. A limit of null is removed, and 0 blocks every run.",
      params: hiredAgentParams,
      body: updateHiredAgentBody,
      response: { 200: hiredAgentReply },
    },
    handler: async (request) => {
      const message = { agentId: request.params.id, ...toChanges(request.body) };
      const { agent } = await context.workforce.updateAgent(message, callFor(context, request));
      return hiredAgentJson(agent);
    },
  });

type Changes = Static<typeof updateHiredAgentBody>;

function toChanges({ name, paused, settings, capabilities = {}, limits }: Changes): Message {
  return {
    ...(name !== undefined && { name }),
    ...(paused !== undefined && { paused }),
    ...(settings !== undefined && { settings: toRunConfig(settings, "settings") }),
    capabilities,
    ...(limits !== undefined && { limits: toLimitChanges(limits) }),
  };
}

type Message = MessageInitShape<typeof UpdateAgentRequestSchema>;

/** An empty text removes a limit. */
function toLimitChanges({ monthlyUsd, monthlyTokens, monthlyRuns }: NonNullable<Changes["limits"]>) {
  return {
    ...(monthlyUsd !== undefined && { monthlyUsd: monthlyUsd === null ? "" : decimalOf(monthlyUsd) }),
    ...(monthlyTokens !== undefined && { monthlyTokens: String(monthlyTokens ?? "") }),
    ...(monthlyRuns !== undefined && { monthlyRuns: String(monthlyRuns ?? "") }),
  };
}
