import { create } from "@bufbuild/protobuf";
import {
  type KeyLimitChanges,
  type ProjectLimitChanges,
  type ProjectLimits as ProjectLimitsMessage,
  type UpdateProjectRequest,
  UpdateProjectResponseSchema,
} from "@muster/proto/auth";
import { Reason } from "@muster/proto/errors";
import {
  adminOf,
  checkLimits,
  checkUsd,
  forbidden,
  Issues,
  type LimitChanges,
  monthlyLimits,
  readApprovalRules,
  revisionMismatch,
  rpcError,
  workforceLimits,
} from "@muster/rpc";
import { announceProjectChange } from "../events.ts";
import { checkName } from "../fields.ts";
import type { ProjectLimits } from "../store/documents.ts";
import type { ProjectChanges } from "../store/project-store.ts";
import { readToolHosts } from "../tool-host-request.ts";
import type { Handler } from "./handler.ts";
import { toProject } from "./messages.ts";

const maxRequestsPerMinute = 1_000_000_000;
const ofSubject = "limits.perSubject.monthlyUsd";

export const updateProject: Handler<"updateProject"> = async (context, request, call) => {
  const caller = adminOf(call);
  const changes = parseChanges(request);
  if (!caller.anyProject && request.projectId !== caller.projectId) throw unknownProject();
  // Otherwise a tenant could lift the limits that the operator has set for it.
  if (!caller.anyProject && (changes.limits ?? changes.overall) !== undefined) {
    throw forbidden("Only a key that may act in any project can change limits.");
  }
  const { projectId, expectedRevisions: expected } = request;
  const entry = context.auditEntry(call, "project.update", { projectId, target: projectId, after: changes });
  const project = await context.projects.update(projectId, changes, entry, expected);
  if (project === null) {
    const exists = (await context.projects.find(projectId)) !== null;
    throw exists ? revisionMismatch("project") : unknownProject();
  }
  if (changes.approvals ?? changes.toolHosts ?? changes.overall ?? changes.limits)
    await announceProjectChange(context, project._id);
  return create(UpdateProjectResponseSchema, { project: toProject(project) });
};

/** Throws INVALID_REQUEST with all issues. */
function parseChanges({ name, limits, approvals, toolHosts }: UpdateProjectRequest): ProjectChanges {
  const issues = new Issues();
  if (name !== undefined) checkName(issues, name);
  const { overall, ...own } = limits === undefined ? {} : readLimits(issues, limits);
  const rules = approvals && readApprovalRules(issues, "approvals", approvals.rules);
  const hosts = toolHosts && readToolHosts(issues, toolHosts.hosts);
  issues.refuse();
  return {
    ...(name === undefined ? {} : { name }),
    ...(rules && { approvals: rules }),
    ...(hosts && { toolHosts: hosts }),
    ...(Object.keys(own).length > 0 && { limits: own }),
    ...(overall && Object.keys(overall).length > 0 && { overall }),
  };
}

/** Null removes a limit. */
function readLimits(
  issues: Issues,
  changes: ProjectLimitChanges,
): NonNullable<ProjectChanges["limits"]> & Pick<ProjectChanges, "overall"> {
  const { requestsPerMinute, workforceMonthlyUsd: usd, workforceMonthlyRuns: runs } = changes;
  const { subjectMonthlyUsd } = changes;
  checkUsd(issues, ofSubject, subjectMonthlyUsd || undefined);
  const { value: perMinute = 1 } = requestsPerMinute ?? {};
  checkRequests(issues, perMinute);
  return {
    ...(requestsPerMinute && { requestsPerMinute: requestsPerMinute.value ?? null }),
    ...(subjectMonthlyUsd !== undefined && { subjectMonthlyUsd: subjectMonthlyUsd || null }),
    ...checkLimits(
      issues,
      {
        ...readSpendingChanges({ monthlyUsd: usd, monthlyTokens: changes.workforceMonthlyTokens }),
        ...(runs && { monthlyRuns: runs.value ?? null }),
      },
      "workforceMonthly",
    ),
    overall: checkLimits(issues, readSpendingChanges(changes)),
  };
}

/** Null removes a limit. */
export function readSpendingChanges({
  monthlyUsd,
  monthlyTokens,
}: Pick<KeyLimitChanges, "monthlyUsd" | "monthlyTokens">): Omit<LimitChanges, "monthlyRuns"> {
  return {
    ...(monthlyUsd !== undefined && { monthlyUsd: monthlyUsd || null }),
    ...(monthlyTokens && {
      monthlyTokens: monthlyTokens.value === undefined ? null : Number(monthlyTokens.value),
    }),
  };
}

/** The limits of a new project. */
export function readProjectLimits(issues: Issues, limits: ProjectLimitsMessage): ProjectLimits {
  const { requestsPerMinute, subjectMonthlyUsd } = limits;
  if (requestsPerMinute !== undefined) checkRequests(issues, requestsPerMinute);
  checkUsd(issues, ofSubject, subjectMonthlyUsd);
  const { monthlyUsd, monthlyTokens } = monthlyLimits(limits);
  return {
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(subjectMonthlyUsd !== undefined && { subjectMonthlyUsd }),
    ...checkLimits(issues, workforceLimits(limits), "workforceMonthly"),
    overall: checkLimits(issues, {
      ...(monthlyUsd !== undefined && { monthlyUsd }),
      ...(monthlyTokens !== undefined && { monthlyTokens }),
    }),
  };
}

function checkRequests(issues: Issues, perMinute: number): void {
  if (perMinute >= 1 && perMinute <= maxRequestsPerMinute) return;
  issues.add("limits.requestsPerMinute", `must be from 1 to ${maxRequestsPerMinute}, or null to remove it`);
}

/** Also thrown for a project beyond the caller's scope. */
function unknownProject() {
  return rpcError(Reason.NOT_FOUND, "The project does not exist.");
}
