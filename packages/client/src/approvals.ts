import type { Http, Sent } from "./http.ts";
import type { Approval, ApprovalDetail, ApprovalList, DecideApprovalRequest } from "./wire-types.ts";

export interface ApprovalQuery extends Pick<Sent, "signal"> {
  status?: Approval["status"] | undefined;
  agentId?: string | undefined;
  sessionId?: string | undefined;
  threadId?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

const pathOf = (approvalId: string) => `/api/approvals/${encodeURIComponent(approvalId)}`;

/** Tool calls that wait for a user's decision. */
export class Approvals {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** A page of approvals, the newest first. */
  list({ signal, ...query }: ApprovalQuery = {}): Promise<ApprovalList> {
    return this.#http.json("GET", "/api/approvals", { query, signal });
  }

  /** One approval with the last messages of its conversation. */
  get(approvalId: string, { signal }: Pick<Sent, "signal"> = {}): Promise<ApprovalDetail> {
    return this.#http.json("GET", pathOf(approvalId), { signal });
  }

  /** The first decision counts, and the same one again changes nothing, so the request is repeated if necessary. */
  decide(
    approvalId: string,
    body: DecideApprovalRequest,
    { signal }: Pick<Sent, "signal"> = {},
  ): Promise<Approval> {
    return this.#http.json("POST", pathOf(approvalId), { body, signal, isRepeatable: true });
  }
}
