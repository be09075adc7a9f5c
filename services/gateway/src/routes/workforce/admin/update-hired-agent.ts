import type { MessageInitShape } from "@bufbuild/protobuf";
import type { UpdateAgentRequestSchema } from "@muster/proto/workforce";
import { decimalOf } from "@muster/service/money";
import type { Static } from "@muster/wire/schema";
import { type AddRoute, callFor } from "../../../context.ts";
import { expectedRevisions, sendRevision } from "../../../edge/http/revisions.ts";
import { ifMatch } from "../../../schemas/common.ts";
import {
  hiredAgentParams,
  updateHiredAgentBody,
  updateHiredAgentReply,
} from "../../../schemas/workforce-admin.ts";
import { toRunConfig } from "../run-config.ts";
import { hiredAgentJson, warningsJson } from "../workforce-agent-json.ts";

export const updateHiredAgent: AddRoute = (app, context) =>
  app.route({
    method: "PATCH",
    url: "/api/admin/workforce/agents/:id",
    config: {
      errors: [
        "VERSION_MISMATCH",
        "MODEL_NOT_RUNNABLE",
        "CAPABILITY_NOT_DECLARED",
        "INVALID_INPUT",
        "AGENT_ARCHIVED",
      ],
      sends: ["ETag"],
    },
    schema: {
      operationId: "updateHiredAgent",
      tags: ["Workforce administration"],
      summary:
        "Pause or resume a workforce agent, or change its settings, limits, rules of approval or version",
      description:
        "Runs that are in flight keep their settings and rules. A limit of null is removed, and 0 blocks every run. Another version of the definition applies to new threads.",
      params: hiredAgentParams,
      headers: ifMatch,
      body: updateHiredAgentBody,
      response: { 200: updateHiredAgentReply },
    },
    handler: async (request, reply) => {
      const message = {
        ...{ agentId: request.params.id, expectedRevisions: expectedRevisions(request) },
        ...toChanges(request.body),
      };
      const call = callFor(context, request);
      const { agent, unexecutedTools } = await context.workforce.updateAgent(message, call);
      return { ...sendRevision(reply, hiredAgentJson(agent)), warnings: warningsJson(unexecutedTools) };
    },
  });

type Changes = Static<typeof updateHiredAgentBody>;

function toChanges(body: Changes): Message {
  const { name, paused, managed, version, settings, capabilities = {}, limits, approvals } = body;
  return {
    ...(version !== undefined && { version: version === "latest" ? 0 : version }),
    ...(name !== undefined && { name }),
    ...(paused !== undefined && { paused }),
    ...(managed !== undefined && { managed }),
    ...(settings !== undefined && { settings: toRunConfig(settings, "settings") }),
    capabilities,
    ...(limits !== undefined && { limits: toLimitChanges(limits) }),
    ...(approvals !== undefined && { approvals: { rules: approvals ?? {} } }),
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
