import type { CreateApiKeyRequest } from "@muster/proto/auth";
import {
  type CallPrincipal,
  checkLimits,
  forbidden,
  Issues,
  isPermission,
  isWorkforce,
  monthlyLimits,
  type Permission,
  permissions,
  type SpendingLimits,
} from "@muster/rpc";
import { checkId, checkName, dateOf } from "./fields.ts";
import type { Creator } from "./rpc/find-creator.ts";

/** A request for a key. Each field is valid on its own. */
export interface KeyRequest {
  name: string;
  /** Without duplicates. None for a computer, else at least one. */
  permissions: Permission[];
  projectId?: string;
  agentId?: string;
  computerId?: string;
  expiresAt?: Date;
  limits?: SpendingLimits;
}

/** Throws INVALID_REQUEST with all issues. */
export function parseKeyRequest(request: CreateApiKeyRequest, nowMs: number): KeyRequest {
  const expiresAt = dateOf(request.expiresAt);
  const issues = new Issues();
  checkName(issues, request.name);
  if (request.computerId === undefined) checkPermissions(issues, request.permissions);
  else checkComputerKey(issues, request);
  checkId(issues, "projectId", request.projectId);
  checkId(issues, "agentId", request.agentId);
  if (request.agentId !== undefined) checkAgentKey(issues, request.permissions);
  checkExpiry(issues, expiresAt, nowMs);
  const limits = readLimits(issues, request);
  issues.refuse();
  return {
    name: request.name,
    permissions: [...new Set(request.permissions.filter(isPermission))],
    ...(request.projectId === undefined ? {} : { projectId: request.projectId }),
    ...(request.agentId === undefined ? {} : { agentId: request.agentId }),
    ...(request.computerId === undefined ? {} : { computerId: request.computerId }),
    ...(expiresAt ? { expiresAt } : {}),
    ...(limits && { limits }),
  };
}

function readLimits(issues: Issues, { limits, computerId }: CreateApiKeyRequest): SpendingLimits | undefined {
  if (limits === undefined) return undefined;
  if (computerId !== undefined) issues.add("limits", "cannot be combined with computerId");
  const read: SpendingLimits = checkLimits(issues, monthlyLimits(limits));
  return Object.keys(read).length > 0 ? read : undefined;
}

/** Throws FORBIDDEN if the key would have another project or a longer life than its creator, whose `admin` implies all permissions. */
export function assertWithinGrant(wanted: KeyRequest, caller: CallPrincipal, creator: Creator): void {
  if (isWorkforce(caller) && wanted.permissions.some((permission) => permission !== "workforce")) {
    throw forbidden("The workforce service creates only keys with the permission workforce and no other.");
  }
  if (wanted.projectId !== undefined && wanted.projectId !== caller.projectId && !caller.anyProject) {
    throw forbidden("This key can create keys only for its own project.");
  }
  const limit = creator.expiresAt;
  if (limit && (wanted.expiresAt === undefined || wanted.expiresAt > limit)) {
    throw forbidden(`This key can create only keys that expire at ${limit.toISOString()} or earlier.`);
  }
}

function checkPermissions(issues: Issues, names: readonly string[]): void {
  if (names.length === 0) issues.add("permissions", "must name at least one permission");
  for (const [index, name] of names.entries()) {
    if (!isPermission(name)) issues.add(`permissions.${index}`, `must be one of ${permissions.join(", ")}`);
  }
}

/** Permissions that a key for one agent can use. */
const ofOneAgent: ReadonlySet<string> = new Set<Permission>(["sessions", "mint-tokens", "workforce"]);

function checkAgentKey(issues: Issues, names: readonly string[]): void {
  if (names.includes("admin")) {
    issues.add(
      "agentId",
      "cannot be combined with the permission admin; a key for one agent cannot administer a project",
    );
  } else if (names.includes("approve") && names.includes("workforce")) {
    issues.add(
      "permissions",
      "cannot include approve together with workforce if agentId is set; a workforce agent's own key cannot approve",
    );
  } else if (names.length > 0 && !names.some((name) => ofOneAgent.has(name))) {
    issues.add("permissions", `must include one of ${[...ofOneAgent].join(", ")} if agentId is set`);
  }
}

function checkComputerKey(issues: Issues, { computerId, agentId, permissions }: CreateApiKeyRequest): void {
  checkId(issues, "computerId", computerId);
  if (permissions.length > 0) issues.add("permissions", "must be empty if computerId is set");
  if (agentId !== undefined) issues.add("agentId", "cannot be combined with computerId");
}

// Later times have no ISO 8601 form with a four-digit year: a key could be stored with one and never be listed again.
const latestExpiryMs = Date.parse("9999-12-31T23:59:59.999Z");

function checkExpiry(issues: Issues, expiresAt: Date | undefined, nowMs: number): void {
  if (expiresAt === undefined) return;
  const timeMs = expiresAt.getTime();
  if (timeMs > latestExpiryMs) issues.add("expiresAt", "must be before the year 10000");
  else if (!(timeMs > nowMs)) issues.add("expiresAt", "must be a time in the future");
}
