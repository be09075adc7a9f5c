import { slugsOf } from "../../api/agents.ts";
import { type ApprovalDetail, getApproval } from "../../api/approvals.ts";
import { linesOfArguments, linesOfCall } from "../../approvals/lines-of-call.ts";
import type { AddCommand } from "../../invocation.ts";
import type { Output } from "../../output.ts";
import { linesOfMessage } from "../../session-messages.ts";

export const showApproval: AddCommand = (group, act) => {
  group
    .command("show")
    .description("Show a tool call with all arguments, its decision, and the end of its conversation.")
    .argument("<id>", "Id of the approval")
    .action(
      act(async ({ args, out, api }) => {
        const client = api();
        const approval = await getApproval(client, args[0] ?? "");
        if (out.json) out.document(approval.document);
        else showDetail(out, approval, await slugsOf(client, [approval.agentId]));
      }),
    );
};

function showDetail(out: Output, approval: ApprovalDetail, slugOf: (id: string) => string): void {
  const { id, status, agentId, agentVersion, place, editedArgs, requester, messages } = approval;
  const bold = (text: string) => out.style("bold", text);
  out.line(`${bold(id)} ${status}, ${place} with ${slugOf(agentId)} ${agentVersion}`);
  out.line(timesOf(out, approval));
  if (requester !== undefined) out.line(`requested by ${JSON.stringify(requester)}`);
  if (approval.message !== undefined) out.line(`message: ${approval.message}`);
  out.line();
  for (const line of linesOfCall(approval)) out.line(line);
  if (editedArgs !== undefined) out.line("approved with");
  for (const line of linesOfArguments(editedArgs ?? {})) out.line(line);
  for (const message of messages) for (const line of linesOfMessage(message, bold)) out.line(line);
}

function timesOf(out: Output, { createdAt, expiresAt, decidedAt, decidedBy }: ApprovalDetail): string {
  const asked = `asked ${out.time(createdAt)}`;
  if (decidedAt === undefined) return `${asked}, expires ${out.time(expiresAt)}`;
  return `${asked}, decided ${out.time(decidedAt)}${decidedBy === undefined ? "" : ` by ${decidedBy}`}`;
}
