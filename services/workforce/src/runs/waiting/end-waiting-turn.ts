import { Reason, readRpcError } from "@muster/rpc";
import type { WorkforceContext } from "../../context.ts";

const timeoutMs = 5_000;

/** Closes the approvals of a turn that asked, and ends the turn. Not another turn, which a follow-up may have begun. */
export async function endWaitingTurn(
  { services, callFor }: Pick<WorkforceContext, "services" | "callFor">,
  projectId: string,
  turn: { sessionId: string; executionId: string },
): Promise<void> {
  try {
    await services.sessions.cancelExecution(turn, callFor(projectId, { timeoutMs }));
  } catch (error) {
    if (readRpcError(error).reason !== Reason.NOT_FOUND) throw error;
  }
}
