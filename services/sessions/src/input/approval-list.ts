import { createHash } from "node:crypto";
import type { ListApprovalsRequest } from "@muster/proto/sessions";
import { type CallPrincipal, forbidden, Issues } from "@muster/rpc";
import type { ApprovalFilter, ApprovalPlace, ApprovalStatus } from "../store/approval-store.ts";
import { checkId } from "./values.ts";

const statuses: readonly ApprovalStatus[] = ["pending", "approved", "denied", "expired", "cancelled"];
const defaultLimit = 20;
const maxLimit = 100;
const maxIds = 1_000;
const maxCursorLength = 500;

interface ApprovalPage {
  filter: ApprovalFilter;
  /** The last approval of the previous page. Absent: from the beginning. */
  after?: ApprovalPlace;
  limit: number;
}

/** Throws INVALID_REQUEST with every issue, or FORBIDDEN if the caller is limited to another session or agent. */
export function readApprovalList(request: ListApprovalsRequest, caller: CallPrincipal): ApprovalPage {
  const issues = new Issues();
  const status = statuses.find((known) => known === request.status);
  if (request.status !== "" && status === undefined)
    issues.add("status", `must be one of ${statuses.join(", ")}`);
  for (const name of ["agentId", "sessionId", "threadId"] as const)
    if (request[name] !== "") checkId(issues, name, request[name]);
  const { limit = request.ids.length || defaultLimit } = request;
  if (request.ids.length > maxIds) issues.add("ids", `must have at most ${maxIds} items`);
  if (request.ids.length === 0 && (limit < 1 || limit > maxLimit))
    issues.add("limit", `must be a number from 1 to ${maxLimit}`);
  const filter = {
    projectId: caller.projectId,
    ...(status !== undefined && { status }),
    ...limited("agentId", request.agentId, caller.agentId),
    ...limited("sessionId", request.sessionId, caller.sessionId),
    ...(request.threadId !== "" && { threadId: request.threadId }),
    ...(request.ids.length > 0 && { ids: request.ids }),
  };
  const after = request.cursor === "" ? undefined : placeIn(request.cursor, filter);
  if (request.cursor !== "" && after === undefined)
    issues.add("cursor", "must be the nextCursor of a list with the same filters");
  issues.refuse();
  return { filter, limit, ...(after && { after }) };
}

function limited<Name extends string>(name: Name, asked: string, only: string | undefined) {
  if (only !== undefined && asked !== "" && asked !== only)
    throw forbidden(`This credential is valid only for ${only}.`);
  const value = asked === "" ? only : asked;
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]: string });
}

export function cursorOfApproval({ _id, createdAt }: ApprovalPlace, filter: ApprovalFilter): string {
  const fields = [createdAt.getTime(), _id, fingerprint(filter)];
  return Buffer.from(JSON.stringify(fields)).toString("base64url");
}

function placeIn(cursor: string, filter: ApprovalFilter): ApprovalPlace | undefined {
  if (cursor.length > maxCursorLength) return undefined;
  const [createdAtMs, _id, print] = fieldsOf(cursor);
  const isWhole =
    typeof createdAtMs === "number" && Number.isSafeInteger(createdAtMs) && typeof _id === "string";
  if (!isWhole || print !== fingerprint(filter)) return undefined;
  const createdAt = new Date(createdAtMs);
  return Number.isNaN(createdAt.getTime()) ? undefined : { _id, createdAt };
}

function fieldsOf(cursor: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

function fingerprint(filter: ApprovalFilter): string {
  return createHash("sha256")
    .update(JSON.stringify(Object.entries(filter).sort()))
    .digest("base64url")
    .slice(0, 16);
}
