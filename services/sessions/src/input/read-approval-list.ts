import type { ListApprovalsRequest } from "@muster/proto/sessions";
import { type CallPrincipal, forbidden, Issues, type Page, readPage } from "@muster/rpc";
import { type ApprovalFilter, approvalStatuses } from "../store/approval-store.ts";
import { checkId } from "./values.ts";

const defaultSize = 20;
const maxIds = 1_000;

interface ApprovalPage extends Page {
  filter: ApprovalFilter;
}

/** Throws INVALID_REQUEST, or FORBIDDEN if the caller is limited to another session or agent. */
export function readApprovalList(request: ListApprovalsRequest, caller: CallPrincipal): ApprovalPage {
  const issues = new Issues();
  const { ids, threadId, limit: pageSize = defaultSize, cursor } = request;
  const status = approvalStatuses.find((known) => known === request.status);
  if (request.status !== "" && status === undefined)
    issues.add("status", `must be one of ${approvalStatuses.join(", ")}`);
  for (const name of ["agentId", "sessionId", "threadId"] as const)
    if (request[name] !== "") checkId(issues, name, request[name]);
  if (ids.length > maxIds) issues.add("ids", `must have at most ${maxIds} items`);
  const agentId = limited(request.agentId, caller.agentId);
  const sessionId = limited(request.sessionId, caller.sessionId);
  issues.refuse();
  const filter = {
    projectId: caller.projectId,
    ...(status !== undefined && { status }),
    ...(agentId !== undefined && { agentId }),
    ...(sessionId !== undefined && { sessionId }),
    ...(threadId !== "" && { threadId }),
    ...(ids.length > 0 && { ids }),
  };
  return { filter, ...readPage({ pageSize, cursor }) };
}

function limited(asked: string, only: string | undefined): string | undefined {
  if (only !== undefined && asked !== "" && asked !== only)
    throw forbidden(`This credential is valid only for ${only}.`);
  return asked === "" ? only : asked;
}
