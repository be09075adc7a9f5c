import { create } from "@bufbuild/protobuf";
import {
  type ProjectLimitChanges,
  type UpdateProjectRequest,
  UpdateProjectResponseSchema,
} from "@muster/proto/auth";
import { Reason } from "@muster/proto/errors";
import { adminOf, checkLimits, forbidden, Issues, readApprovalRules, rpcError } from "@muster/rpc";
import { announceProjectChange } from "../events.ts";
import { checkName } from "../fields.ts";
import type { ProjectChanges } from "../store/project-store.ts";
import { readToolHosts } from "../tool-host-request.ts";
import type { Handler } from "./handler.ts";
import { toProject } from "./messages.ts";

const maxRequestsPerMinute = 1_000_000_000;

export const updateProject: Handler<"updateProject"> = async (context, request, call) => {
  const caller = adminOf(call);
  const changes = parseChanges(request);
  if (!caller.anyProject && request.projectId !== caller.projectId) throw unknownProject();
  // Otherwise a tenant could lift the limits that the operator has set for it.
  if (!caller.anyProject && changes.limits !== undefined) {
    throw forbidden("Only a key that may act in any project can change limits.");
  }
  const project = await context.projects.update(request.projectId, changes);
  if (project === null) throw unknownProject();
  if (changes.approvals ?? changes.toolHosts) await announceProjectChange(context, project._id);
  return create(UpdateProjectResponseSchema, { project: toProject(project) });
};

/** Throws INVALID_REQUEST with all issues. */
function parseChanges({ name, limits, approvals, toolHosts }: UpdateProjectRequest): ProjectChanges {
  const issues = new Issues();
  if (name !== undefined) checkName(issues, name);
  const changes = limits === undefined ? {} : readLimits(issues, limits);
  const rules = approvals && readApprovalRules(issues, "approvals", approvals.rules);
  const hosts = toolHosts && readToolHosts(issues, toolHosts.hosts);
  issues.refuse();
  return {
    ...(name === undefined ? {} : { name }),
    ...(rules && { approvals: rules }),
    ...(hosts && { toolHosts: hosts }),
    ...(Object.keys(changes).length > 0 && { limits: changes }),
  };
}

/** Null removes a limit. */
function readLimits(
  issues: Issues,
  { requestsPerMinute: requests, monthlyUsd, monthlyTokens: tokens, monthlyRuns: runs }: ProjectLimitChanges,
): NonNullable<ProjectChanges["limits"]> {
  const { value: perMinute = 1 } = requests ?? {};
  if (perMinute < 1 || perMinute > maxRequestsPerMinute) {
    issues.add("limits.requestsPerMinute", `must be from 1 to ${maxRequestsPerMinute}, or null to remove it`);
  }
  return {
    ...(requests && { requestsPerMinute: requests.value ?? null }),
    ...checkLimits(issues, {
      ...(monthlyUsd !== undefined && { monthlyUsd: monthlyUsd || null }),
      ...(tokens && { monthlyTokens: tokens.value === undefined ? null : Number(tokens.value) }),
      ...(runs && { monthlyRuns: runs.value ?? null }),
    }),
  };
}

/** Also thrown for a project beyond the caller's scope. */
function unknownProject() {
  return rpcError(Reason.NOT_FOUND, "The project does not exist.");
}
