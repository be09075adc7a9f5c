import { create } from "@bufbuild/protobuf";
import { type CancelExecutionResponse, CancelExecutionResponseSchema } from "@muster/proto/sessions";
import { requestIdOf } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { driverOf, found, keyFor, sessionsOf } from "../input/caller.ts";
import { phaseOf } from "../store/moves.ts";
import { notifyHolder } from "../turns/abort/notify-holder.ts";
import { settleApproval } from "../turns/approvals/settle-approval.ts";
import { executionOf } from "../turns/follow/abandoned-turn.ts";
import type { Handler } from "./handler.ts";

export const cancelExecution: Handler<"cancelExecution"> = async (context, request, call) => {
  const caller = driverOf(call);
  const { store } = sessionsOf(context, caller);
  const key = keyFor(caller, request.sessionId);
  const session = found(key, await store.find(key));
  const { epoch, lease, execution } = session;
  const { executionId } = request;
  if (executionId !== "" && executionId !== (lease === null ? execution?.id : executionOf(session)))
    return answer(false);
  if (phaseOf(session, context.clock.now(), context.onlyHolder) === "asking" && execution !== null)
    return answer(await cancelAsking(context, { ...key, executionId: execution.id }));
  if (lease === null || phaseOf(session, context.clock.now(), context.onlyHolder) !== "locked")
    return answer(false);
  const target = { sessionId: request.sessionId, runId: lease.runId, epoch };
  const requested = await store.requestCancel({ ...target, projectId: key.projectId });
  if (requested) await notifyHolder(context, { requestId: requestIdOf(call), ...target }, "cancelled");
  return answer(requested);
};

/** The turn ends as soon as none of its approvals can be decided. False: all of them are decided, and it continues. */
async function cancelAsking(
  context: SessionsContext,
  turn: { projectId: string; sessionId: string; executionId: string },
): Promise<boolean> {
  const { approvals, clock } = context;
  await approvals.cancelTurn(turn, new Date(clock.now()));
  const cancelled = (await approvals.ofTurn(turn)).find(({ status }) => status === "cancelled");
  if (cancelled !== undefined) await settleApproval(context, cancelled);
  return cancelled !== undefined;
}

function answer(cancelled: boolean): CancelExecutionResponse {
  return create(CancelExecutionResponseSchema, { cancelled });
}
