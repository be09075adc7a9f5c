import type { Approval, ApprovalList } from "@muster/client";
import { useApi } from "../api.ts";

/** The calls that wait for a decision, the newest first, up to 100. */
export function usePending(): readonly Approval[] | undefined {
  return useApi<ApprovalList>("/api/approvals", { status: "pending", limit: 100 }).data?.approvals;
}
