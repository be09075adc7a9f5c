import { create } from "@bufbuild/protobuf";
import { type CancelExecutionResponse, CancelExecutionResponseSchema } from "@muster/proto/sessions";
import { requestIdOf } from "@muster/rpc";
import { driverOf, found, keyFor, sessionsOf } from "../input/caller.ts";
import { phaseOf } from "../store/moves.ts";
import { notifyHolder } from "../turns/abort/notify-holder.ts";
import type { Handler } from "./handler.ts";

export const cancelExecution: Handler<"cancelExecution"> = async (context, request, call) => {
  const caller = driverOf(call);
  const { store } = sessionsOf(context, caller);
  const key = keyFor(caller, request.sessionId);
  const session = found(key, await store.find(key));
  const { epoch, lease } = session;
  if (lease === null || phaseOf(session, context.clock.now(), context.onlyHolder) !== "locked")
    return answer(false);
  const target = { sessionId: request.sessionId, runId: lease.runId, epoch };
  const requested = await store.requestCancel({ ...target, projectId: key.projectId });
  if (requested) await notifyHolder(context, { requestId: requestIdOf(call), ...target }, "cancelled");
  return answer(requested);
};

function answer(cancelled: boolean): CancelExecutionResponse {
  return create(CancelExecutionResponseSchema, { cancelled });
}
