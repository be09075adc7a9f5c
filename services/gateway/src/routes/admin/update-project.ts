import type { Static } from "@muster/wire/schema";
import { type AddRoute, callFor } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { expectedRevisions, sendRevision } from "../../edge/http/revisions.ts";
import { projectParams, projectReply, updateProjectBody } from "../../schemas/admin.ts";
import { ifMatch } from "../../schemas/common.ts";
import { toSpendingChanges } from "../../schemas/monthly-limits.ts";
import { projectJson } from "./admin-json.ts";

export const updateProject: AddRoute = (app, context) =>
  app.route({
    method: "PATCH",
    url: "/api/admin/projects/:id",
    config: { errors: ["VERSION_MISMATCH"], sends: ["ETag"] },
    schema: {
      operationId: "updateProject",
      tags: ["Administration"],
      summary: "Change the name, the limits, the rules of approval or the hosts of HTTP tools of a project",
      description:
        "Changes apply within five seconds. A key for one project can change everything of that project but its limits.",
      params: projectParams,
      headers: ifMatch,
      body: updateProjectBody,
      response: { 200: projectReply },
    },
    handler: async (request, reply) => {
      const { name, limits, approvals, toolHosts } = request.body;
      const { project } = await context.auth.updateProject(
        {
          ...{ projectId: request.params.id, expectedRevisions: expectedRevisions(request) },
          ...(name === undefined ? {} : { name }),
          ...(limits === undefined ? {} : { limits: toLimitChanges(limits) }),
          ...(approvals === undefined ? {} : { approvals: { rules: approvals ?? {} } }),
          ...(toolHosts === undefined ? {} : { toolHosts: { hosts: (toolHosts ?? []).map(toToolHost) } }),
        },
        callFor(context, request),
      );
      if (!project) throw internalProblem(new Error("UpdateProject returned no project"));
      return sendRevision(reply, projectJson(project));
    },
  });

function toToolHost(entry: string | { host: string; untrusted?: boolean }) {
  if (typeof entry === "string") return { host: entry, isUntrusted: false };
  return { host: entry.host, isUntrusted: entry.untrusted ?? false };
}

type Limits = NonNullable<Static<typeof updateProjectBody>["limits"]>;

/** Absent fields stay unchanged; null removes a limit. */
function toLimitChanges({
  requestsPerMinute,
  perSubject,
  workforceMonthlyUsd: monthlyUsd,
  workforceMonthlyTokens,
  workforceMonthlyRuns,
  ...overall
}: Limits) {
  const { monthlyUsd: subjectMonthlyUsd } = toSpendingChanges(
    perSubject === null ? { monthlyUsd: null } : (perSubject ?? {}),
  );
  const ofWorkforce = toSpendingChanges({ monthlyUsd, monthlyTokens: workforceMonthlyTokens });
  return {
    ...(requestsPerMinute !== undefined && { requestsPerMinute: changeOf(requestsPerMinute) }),
    ...(subjectMonthlyUsd !== undefined && { subjectMonthlyUsd }),
    ...(ofWorkforce.monthlyUsd !== undefined && { workforceMonthlyUsd: ofWorkforce.monthlyUsd }),
    ...(ofWorkforce.monthlyTokens && { workforceMonthlyTokens: ofWorkforce.monthlyTokens }),
    ...(workforceMonthlyRuns !== undefined && { workforceMonthlyRuns: changeOf(workforceMonthlyRuns) }),
    ...toSpendingChanges(overall),
  };
}

function changeOf(value: number | null): { value?: number } {
  return value === null ? {} : { value };
}
