import { create } from "@bufbuild/protobuf";
import { ListApprovalsResponseSchema } from "@muster/proto/sessions";
import { pageOf } from "@muster/rpc";
import { approverOf } from "../input/approver.ts";
import { readApprovalList } from "../input/read-approval-list.ts";
import { approvalMessage } from "./approval-message.ts";
import type { Handler } from "./handler.ts";

export const listApprovals: Handler<"listApprovals"> = async ({ approvals }, request, call) => {
  const { filter, before, size } = readApprovalList(request, approverOf(call));
  const { items, nextCursor } = pageOf(await approvals.list(filter, before, size + 1), size);
  return create(ListApprovalsResponseSchema, { approvals: items.map(approvalMessage), nextCursor });
};
