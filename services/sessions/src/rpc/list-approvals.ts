import { create } from "@bufbuild/protobuf";
import { ListApprovalsResponseSchema } from "@muster/proto/sessions";
import { cursorOfApproval, readApprovalList } from "../input/approval-list.ts";
import { approverOf } from "../input/approver.ts";
import { approvalMessage } from "./approval-message.ts";
import type { Handler } from "./handler.ts";

export const listApprovals: Handler<"listApprovals"> = async ({ approvals }, request, call) => {
  const { filter, after, limit } = readApprovalList(request, approverOf(call));
  const found = await approvals.list(filter, after, limit + 1);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return create(ListApprovalsResponseSchema, {
    approvals: page.map(approvalMessage),
    nextCursor: last === undefined ? "" : cursorOfApproval(last, filter),
  });
};
