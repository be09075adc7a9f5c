import type { HandlerContext } from "@connectrpc/connect";
import type { ResumeExecutionRequest, ResumeExecutionResponse } from "@muster/proto/sessions";
import { Issues, Reason, rpcError } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { driverOf, found, keyFor, sessionsOf } from "../input/caller.ts";
import { checkId } from "../input/values.ts";
import type { SessionKey } from "../store/moves.ts";
import { refusalFor } from "../store/refusals/unavailable.ts";
import { currentTurn } from "../turns/follow/current-turn.ts";
import { storedResult } from "../turns/open/replay.ts";
import { findOrAdopt, followTurn } from "../turns/trigger/follow-turn.ts";

/** Replays the events of a turn and follows it. Refusals are thrown before the first message, which has no events. */
export async function* resumeExecution(
  context: SessionsContext,
  { sessionId, executionId: named, afterSequence, resultMessageId, toPause }: ResumeExecutionRequest,
  call: HandlerContext,
): AsyncGenerator<ResumeExecutionResponse, void, undefined> {
  const caller = driverOf(call);
  const sessions = sessionsOf(context, caller);
  const key = keyFor(caller, sessionId);
  const issues = new Issues();
  if (named !== "") checkId(issues, "executionId", named);
  issues.refuse();
  try {
    const executionId = named === "" ? await currentExecution(sessions, key) : named;
    const cursor = { executionId, after: afterSequence, toPause };
    const turn = await findOrAdopt(sessions, key, cursor, call);
    yield message({ events: [] });
    for await (const events of followTurn(sessions, key, cursor, turn, call)) yield message({ events });
    if (resultMessageId === "") return;
    yield message({ result: await storedResult(sessions, key, resultMessageId) });
  } catch (error) {
    throw refusalFor(error);
  }
}

/** Throws NOT_FOUND if no turn is running or waits for users' decisions. */
async function currentExecution(context: SessionsContext, key: SessionKey): Promise<string> {
  const session = found(key, await context.store.findTurn(key));
  const turn = currentTurn(session, context.clock.now(), context.onlyHolder);
  if (turn === undefined || turn.phase === "paused")
    throw rpcError(Reason.NOT_FOUND, "No turn of the session is running.");
  return turn.executionId;
}

function message(fields: Partial<ResumeExecutionResponse>): ResumeExecutionResponse {
  return { $typeName: "muster.sessions.v1.ResumeExecutionResponse", events: [], ...fields };
}
