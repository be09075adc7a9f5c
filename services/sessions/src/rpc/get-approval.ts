import { create } from "@bufbuild/protobuf";
import { GetApprovalResponseSchema } from "@muster/proto/sessions";
import type { SessionsContext } from "../context.ts";
import { linksOf, readPage } from "../conversations/reading/read-messages.ts";
import { readsOf } from "../conversations/reading/session-reader.ts";
import { approverOf, foundApproval } from "../input/approver.ts";
import type { ApprovalDocument } from "../store/approval-store.ts";
import { isExpired } from "../store/session-document.ts";
import { approvalMessage } from "./approval-message.ts";
import type { Handler } from "./handler.ts";

/** So many messages show what the call is about. */
const contextLength = 6;
/** Beyond it they are left out: users read them before they decide. */
const maxCharacters = 256 * 1024;

export const getApproval: Handler<"getApproval"> = async (context, { id, filesBaseUrl }, call) => {
  const caller = approverOf(call);
  const approval = await foundApproval(context.approvals, caller, id);
  const inTurn = readsOf(context.reads, caller.projectId, call.signal);
  const messages = await inTurn(() => lastMessages(context, approval, filesBaseUrl));
  return create(GetApprovalResponseSchema, {
    approval: approvalMessage(approval),
    messagesJson: `[${messages}]`,
  });
};

async function lastMessages(
  context: SessionsContext,
  approval: ApprovalDocument,
  filesBaseUrl: string,
): Promise<string> {
  const { store } = approval.isHidden ? context.hidden : context;
  const session = await store.find(approval);
  if (session === null || isExpired(session, context.clock.now())) return "";
  for (const limit of [contextLength, 1]) {
    const wanted = { view: "ui" as const, isLeft: false, ...linksOf(context, session, filesBaseUrl) };
    const page = readPage(context, session, { ...wanted, limit, before: undefined });
    let json = "";
    for await (const piece of page) json += piece;
    if (json.length <= maxCharacters) return json;
  }
  return "";
}
