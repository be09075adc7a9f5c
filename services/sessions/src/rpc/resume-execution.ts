import type { HandlerContext } from "@connectrpc/connect";
import type { ResumeExecutionRequest, ResumeExecutionResponse } from "@muster/proto/sessions";
import { Issues } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { driverOf, keyFor, sessionsOf } from "../input/caller.ts";
import { checkId } from "../input/values.ts";
import { refusalFor } from "../store/refusals/unavailable.ts";
import { storedResult } from "../turns/open/replay.ts";
import { findOrAdopt, followTurn } from "../turns/trigger/follow-turn.ts";

/** Replays the events of a turn and follows it. Refusals are thrown before the first message, which has no events. */
export async function* resumeExecution(
  context: SessionsContext,
  { sessionId, executionId, afterSequence, resultMessageId, toPause }: ResumeExecutionRequest,
  call: HandlerContext,
): AsyncGenerator<ResumeExecutionResponse, void, undefined> {
  const caller = driverOf(call);
  const sessions = sessionsOf(context, caller);
  const key = keyFor(caller, sessionId);
  const issues = new Issues();
  checkId(issues, "executionId", executionId);
  issues.refuse();
  try {
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

function message(fields: Partial<ResumeExecutionResponse>): ResumeExecutionResponse {
  return { $typeName: "muster.sessions.v1.ResumeExecutionResponse", events: [], ...fields };
}
