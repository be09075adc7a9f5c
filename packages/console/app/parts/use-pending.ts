import type { ApprovalList } from "@muster/client";
import { useApi } from "../api.ts";
import { useCredential } from "../frame/credential.ts";

/** The calls that wait for a decision, the newest first, up to 100. Nothing is asked for a key that may not decide. */
export function usePending() {
  const mayDecide = useCredential().permissions.includes("approve");
  const query = { status: "pending", limit: 100 };
  return useApi<ApprovalList>(mayDecide ? "/api/approvals" : null, query);
}
