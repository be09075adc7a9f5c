import { isPlainObject } from "@muster/language/json";
import type { Api } from "../http/api.ts";
import { integer, optionalText, record, records, text } from "../read.ts";
import { readPages } from "./read-pages.ts";

type Json = Readonly<Record<string, unknown>>;

/** A tool call that waits for a decision, or waited. */
export type Approval = ReturnType<typeof approvalOf>;

export type ApprovalDetail = Awaited<ReturnType<typeof getApproval>>;

export interface Decision {
  readonly decision: "approve" | "deny";
  /** For the record; the model reads that of a denial. */
  readonly message?: string | undefined;
  /** The arguments to call the tool with instead of the model's. */
  readonly args?: Json | undefined;
}

function pathOf(id: string): string {
  return `/api/approvals/${encodeURIComponent(id)}`;
}

/** The newest first. `filter`: parameters of the list. */
export async function listApprovals(
  api: Api,
  filter: Readonly<Record<string, string | undefined>>,
  limit: number,
): Promise<{ approvals: Approval[]; hasMore: boolean }> {
  const { items, hasMore } = await readPages(api, "/api/approvals", "approvals", limit, filter);
  return { approvals: items.map(approvalOf), hasMore };
}

/** With the last messages of its conversation. */
export async function getApproval(api: Api, id: string) {
  const body = await api.read("GET", pathOf(id));
  return { ...approvalOf(body), messages: records(body, "messages") };
}

export async function decideApproval(api: Api, id: string, decision: Decision): Promise<Approval> {
  return approvalOf(await api.read("POST", pathOf(id), { body: decision }));
}

function approvalOf(body: Json) {
  return {
    id: text(body, "approvalId"),
    status: text(body, "status"),
    agentId: text(body, "agentId"),
    agentVersion: integer(body, "agentVersion"),
    /** The session or the workforce thread. */
    place: optionalText(body, "sessionId") ?? text(body, "threadId"),
    toolName: text(body, "toolName"),
    title: optionalText(body, "title"),
    args: record(body.args),
    editedArgs: isPlainObject(body.editedArgs) ? body.editedArgs : undefined,
    requester: isPlainObject(body.requester) ? body.requester : undefined,
    createdAt: text(body, "createdAt"),
    expiresAt: text(body, "expiresAt"),
    decidedAt: optionalText(body, "decidedAt"),
    decidedBy: optionalText(body, "decidedBy"),
    message: optionalText(body, "message"),
    /** The whole response, for `--json`. */
    document: body,
  };
}
