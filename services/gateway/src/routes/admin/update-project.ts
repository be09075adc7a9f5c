import { decimalOf } from "@muster/service/money";
import type { Static } from "@muster/wire/schema";
import { type AddRoute, callFor } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { projectParams, projectReply, updateProjectBody } from "../../schemas/admin.ts";
import { projectJson } from "./admin-json.ts";

export const updateProject: AddRoute = (app, context) =>
  app.route({
    method: "PATCH",
    url: "/api/admin/projects/:id",
    schema: {
      operationId: "updateProject",
      tags: ["Administration"],
      summary: "Change the name, the limits or the rules of approval of a project",
      description:
        "New limits and rules apply within five seconds. A key for one project can rename that project and change its rules, and changes no limits.",
      params: projectParams,
      body: updateProjectBody,
      response: { 200: projectReply },
    },
    handler: async (request) => {
      const { name, limits, approvals } = request.body;
      const { project } = await context.auth.updateProject(
        {
          projectId: request.params.id,
          ...(name === undefined ? {} : { name }),
          ...(limits === undefined ? {} : { limits: toLimitChanges(limits) }),
          ...(approvals === undefined ? {} : { approvals: { rules: approvals ?? {} } }),
        },
        callFor(context, request),
      );
      if (!project) throw internalProblem(new Error("UpdateProject returned no project"));
      return projectJson(project);
    },
  });

type Limits = NonNullable<Static<typeof updateProjectBody>["limits"]>;

/** Absent fields stay unchanged; null removes a limit. */
function toLimitChanges({ requestsPerMinute, monthlyUsd, monthlyTokens, monthlyRuns }: Limits) {
  return {
    ...(requestsPerMinute !== undefined && { requestsPerMinute: changeOf(requestsPerMinute) }),
    ...(monthlyUsd !== undefined && { monthlyUsd: monthlyUsd === null ? "" : decimalOf(monthlyUsd) }),
    ...(monthlyTokens !== undefined && {
      monthlyTokens: changeOf(monthlyTokens === null ? null : BigInt(monthlyTokens)),
    }),
    ...(monthlyRuns !== undefined && { monthlyRuns: changeOf(monthlyRuns) }),
  };
}

function changeOf<Value>(value: Value | null): { value?: Value } {
  return value === null ? {} : { value };
}
