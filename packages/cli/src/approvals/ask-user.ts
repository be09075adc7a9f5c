import { type Approval, type Decision, decideApproval, getApproval } from "../api/approvals.ts";
import { type Api, isStatus } from "../http/api.ts";
import type { Output } from "../output.ts";
import { linesOfCall } from "./lines-of-call.ts";

interface Asking {
  readonly api: Api;
  readonly out: Output;
  /** Resolves with the line that the user types; undefined if the question is withdrawn. Absent: no user can be asked. */
  readonly ask?: ((prompt: string) => Promise<string | undefined>) | undefined;
}

/** Puts calls that wait to the user, one after the other. Returns whether all of them are decided. */
export async function askUser(asking: Asking, approvalIds: readonly string[]): Promise<boolean> {
  let isDecided = true;
  for (const id of approvalIds) isDecided = (await settle(asking, id)) && isDecided;
  return isDecided;
}

/** Returns whether the call is decided. */
async function settle(asking: Asking, id: string): Promise<boolean> {
  const { api, out, ask } = asking;
  const approval = await getApproval(api, id).catch((error: unknown) =>
    isStatus(error, 403) ? undefined : Promise.reject(error),
  );
  if (approval === undefined) {
    out.note("A call waits for a decision that needs a key with the permission approve.");
    showCommands(out, id);
    return false;
  }
  if (approval.status !== "pending") return true;
  out.note(out.noteStyle("yellow", "This call waits for a decision:"));
  for (const line of linesOfCall(approval)) out.note(`  ${line}`);
  const decision = ask === undefined ? "later" : await readDecision(out, ask);
  if (decision === "later") showCommands(out, id);
  if (decision === undefined || decision === "later") return false;
  return decide(asking, approval, decision);
}

function showCommands(out: Output, id: string): void {
  out.hint({ purpose: "To approve it", args: `approvals approve ${id}` });
  out.hint({ purpose: "To deny it", args: `approvals deny ${id}` });
}

async function readDecision(
  out: Output,
  ask: (prompt: string) => Promise<string | undefined>,
): Promise<Decision | "later" | undefined> {
  out.note("Approve it? y, n, or n and a message for the agent; an empty line to decide later.");
  for (;;) {
    const line = (await ask("decision> "))?.trim();
    if (line === undefined) return undefined;
    if (line === "") return "later";
    const [, answer = "", message = ""] = /^(y|yes|n|no)(?:\s+(.*))?$/i.exec(line) ?? [];
    const isApproval = /^y/i.test(answer);
    // A message with an approval could be a condition, which the platform would not check.
    if (answer !== "" && !(isApproval && message !== ""))
      return { decision: isApproval ? "approve" : "deny", message: message === "" ? undefined : message };
    out.note("Type y, n, or n and a message.");
  }
}

/** Another user, or the time, may have been faster. */
async function decide(
  { api, out }: Asking,
  { id }: Pick<Approval, "id">,
  decision: Decision,
): Promise<boolean> {
  try {
    await decideApproval(api, id, decision);
  } catch (error) {
    if (!isStatus(error, 409) && !isStatus(error, 410)) throw error;
    out.note(error.message);
  }
  return true;
}
