import type { CreateApiKeyRequest } from "@muster/proto/auth";
import { Reason } from "@muster/proto/errors";
import {
  type CallPrincipal,
  type IssueInput,
  isPermission,
  type Permission,
  permissions,
  rpcError,
} from "@muster/rpc";
import { checkId, checkName, dateOf, refuseIssues } from "./fields.ts";
import type { ApiKeyDocument } from "./store/documents.ts";

/** A request for a key whose fields are right on their own. */
export interface KeyRequest {
  name: string;
  /** At least one, each once. */
  permissions: Permission[];
  projectId?: string;
  agentId?: string;
  expiresAt?: Date;
}

/** Throws INVALID_REQUEST with all that is wrong. */
export function parseKeyRequest(request: CreateApiKeyRequest, nowMs: number): KeyRequest {
  const expiresAt = dateOf(request.expireTime);
  refuseIssues([
    ...checkName(request.name),
    ...checkPermissions(request.permissions),
    ...checkId("projectId", request.projectId),
    ...checkId("agentId", request.agentId),
    ...checkExpiry(expiresAt, nowMs),
  ]);
  return {
    name: request.name,
    permissions: [...new Set(request.permissions.filter(isPermission))],
    ...(request.projectId === undefined ? {} : { projectId: request.projectId }),
    ...(request.agentId === undefined ? {} : { agentId: request.agentId }),
    ...(expiresAt ? { expiresAt } : {}),
  };
}

/** Throws FORBIDDEN when the key would be able to do more, or for longer, than the one that makes it. */
export function assertWithinGrant(wanted: KeyRequest, caller: CallPrincipal, creator: ApiKeyDocument): void {
  const missing = wanted.permissions.filter((permission) => !caller.permissions.has(permission));
  if (missing.length > 0) {
    throw forbidden(`A key can only grant what it holds; this one lacks: ${missing.join(", ")}.`);
  }
  if (wanted.projectId !== undefined && wanted.projectId !== caller.projectId && !caller.anyProject) {
    throw forbidden("This key can make keys for its own project only.");
  }
  if (caller.agentId !== undefined && wanted.agentId !== caller.agentId) {
    throw forbidden(`This key is bound to one agent and can only make keys with agentId ${caller.agentId}.`);
  }
  const limit = creator.expiresAt;
  if (limit && (wanted.expiresAt === undefined || wanted.expiresAt > limit)) {
    throw forbidden(`This key can only make keys whose expiresAt is ${limit.toISOString()} or earlier.`);
  }
}

function checkPermissions(names: readonly string[]): IssueInput[] {
  if (names.length === 0) return [{ path: "permissions", message: "must name at least one permission" }];
  return names.flatMap((name, index) =>
    isPermission(name)
      ? []
      : [{ path: `permissions.${index}`, message: `must be one of ${permissions.join(", ")}` }],
  );
}

// Later times have no ISO 8601 form of four year digits: a key could be stored with one and never be listed again.
const latestExpiryMs = Date.parse("9999-12-31T23:59:59.999Z");

function checkExpiry(expiresAt: Date | undefined, nowMs: number): IssueInput[] {
  if (expiresAt === undefined) return [];
  const timeMs = expiresAt.getTime();
  if (timeMs > latestExpiryMs) return [{ path: "expiresAt", message: "must be before the year 10000" }];
  return timeMs > nowMs ? [] : [{ path: "expiresAt", message: "must be a time in the future" }];
}

function forbidden(message: string) {
  return rpcError(Reason.FORBIDDEN, message);
}
