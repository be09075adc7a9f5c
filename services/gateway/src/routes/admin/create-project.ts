import { decimalOf } from "@muster/service/money";
import type { Static } from "@muster/wire/schema";
import { type AddRoute, callFor } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { createProjectBody, projectReply } from "../../schemas/admin.ts";
import { toSpendingLimits } from "../../schemas/monthly-limits.ts";
import { projectJson } from "./admin-json.ts";

export const createProject: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/admin/projects",
    schema: {
      operationId: "createProject",
      tags: ["Administration"],
      summary: "Create a project",
      description: "Agents, sessions and keys of a project are invisible in every other.",
      body: createProjectBody,
      response: { 201: projectReply },
    },
    handler: async (request, reply) => {
      const { name, limits } = request.body;
      const { project } = await context.auth.createProject(
        { name, ...(limits && { limits: toProjectLimits(limits) }) },
        callFor(context, request),
      );
      if (!project) throw internalProblem(new Error("CreateProject returned no project"));
      return reply.code(201).send(projectJson(project));
    },
  });

function toProjectLimits({
  requestsPerMinute,
  perSubject,
  workforceMonthlyUsd,
  workforceMonthlyTokens,
  workforceMonthlyRuns,
  ...overall
}: NonNullable<Static<typeof createProjectBody>["limits"]>) {
  const ofWorkforce = toSpendingLimits({
    monthlyUsd: workforceMonthlyUsd,
    monthlyTokens: workforceMonthlyTokens,
  });
  return {
    ...(requestsPerMinute != null && { requestsPerMinute }),
    ...(perSubject?.monthlyUsd != null && { subjectMonthlyUsd: decimalOf(perSubject.monthlyUsd) }),
    ...(ofWorkforce.monthlyUsd !== undefined && { workforceMonthlyUsd: ofWorkforce.monthlyUsd }),
    ...(ofWorkforce.monthlyTokens !== undefined && { workforceMonthlyTokens: ofWorkforce.monthlyTokens }),
    ...(workforceMonthlyRuns != null && { workforceMonthlyRuns }),
    ...toSpendingLimits(overall),
  };
}
