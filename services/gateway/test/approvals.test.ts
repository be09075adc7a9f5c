import assert from "node:assert/strict";
import { Reason, rpcError } from "@muster/rpc";
import { test } from "vitest";
import { startEdge } from "./support/start-edge.ts";

test("a late decision is refused with its reason: 410 after the expiry, 409 after another one", async (t) => {
  const rows = [
    [Reason.APPROVAL_EXPIRED, 410, "APPROVAL_EXPIRED"],
    [Reason.APPROVAL_DECIDED, 409, "APPROVAL_DECIDED"],
  ] as const;
  for (const [reason, status, code] of rows) {
    const edge = await startEdge(t, {
      decideApproval: () => Promise.reject(rpcError(reason, "Too late.")),
    });
    const body = { decision: "approve" };
    const refused = await edge.call("POST", "/api/approvals/apr_1", { body });
    assert.deepEqual([refused.status, refused.json.code], [status, code]);
  }
});
