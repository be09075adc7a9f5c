import type { HandlerContext } from "@connectrpc/connect";
import type { ResumeExecutionRequest, ResumeExecutionResponse } from "@muster/proto/sessions";
import { Issues } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { driverOf, keyFor } from "../input/access.ts";
import { checkId } from "../input/fields.ts";
import { refusalFor } from "../refusals/unavailable.ts";
import { findRun } from "../resume/find-run.ts";
import { follow } from "../resume/follow.ts";

/** Replays a run's events and follows it. Refusals are thrown before the first message, which has no events. */
export async function* resumeExecution(
  context: SessionsContext,
  { sessionId, executionId, afterSequence: after }: ResumeExecutionRequest,
  call: HandlerContext,
): AsyncGenerator<ResumeExecutionResponse, void, undefined> {
  const key = keyFor(driverOf(call), sessionId);
  const issues = new Issues();
  checkId(issues, "executionId", executionId);
  issues.refuse();
  try {
    const run = await findRun(context, key, { executionId, after }, call.signal);
    yield message([]);
    for await (const events of follow(context, run, after, call.signal)) yield message(events);
    // A stream that was cut must not look like one that ended.
    call.signal.throwIfAborted();
  } catch (error) {
    throw refusalFor(error);
  }
}

function message(events: ResumeExecutionResponse["events"]): ResumeExecutionResponse {
  return { $typeName: "muster.sessions.v1.ResumeExecutionResponse", events };
}
