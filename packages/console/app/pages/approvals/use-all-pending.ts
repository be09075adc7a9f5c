import type { Approval, ApprovalList } from "@muster/client";
import { useQuery } from "@tanstack/react-query";
import { muster } from "../../api.ts";

/** More than a user decides before the list is read again. */
const maxPages = 20;

/** All calls that wait, the oldest first. The API lists the newest first, so all of its pages are read. */
export function useAllPending() {
  return useQuery({
    queryKey: ["/api/approvals", "pending"],
    queryFn: async ({ signal }) => {
      const found: Approval[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < maxPages; page++) {
        const query = { status: "pending", limit: 100, cursor };
        const reply = await muster.request<ApprovalList>("GET", "/api/approvals", { query, signal });
        found.push(...reply.approvals);
        if (reply.nextCursor === null) break;
        cursor = reply.nextCursor;
      }
      return found.reverse();
    },
  });
}
