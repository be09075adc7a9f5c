import type { HandlerContext } from "@connectrpc/connect";
import type { ResumeExecutionRequest, ResumeExecutionResponse, StreamEvent } from "@muster/proto/sessions";
import { Issues } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { driverOf, keyFor } from "../input/access.ts";
import { checkId } from "../input/fields.ts";
import { refusalFor } from "../refusals/unavailable.ts";
import { findLiving, readRun } from "../trigger/read-run.ts";
import { sessionsOf } from "./sessions-of.ts";

/** Replays a run's events and follows it. Refusals are thrown before the first message, which has no events. */
export async function* resumeExecution(
  context: SessionsContext,
  { sessionId, executionId, afterSequence }: ResumeExecutionRequest,
  call: HandlerContext,
): AsyncGenerator<ResumeExecutionResponse, void, undefined> {
  const caller = driverOf(call);
  const sessions = sessionsOf(context, caller);
  const key = keyFor(caller, sessionId);
  const issues = new Issues();
  checkId(issues, "executionId", executionId);
  issues.refuse();
  try {
    const cursor = { executionId, after: afterSequence };
    const run = await findLiving(sessions, key, cursor, call);
    yield message([]);
    for await (const events of readRun(sessions, key, cursor, run, call)) yield message(events);
  } catch (error) {
    throw refusalFor(error);
  }
}

function message(events: StreamEvent[]): ResumeExecutionResponse {
  return { $typeName: "muster.sessions.v1.ResumeExecutionResponse", events };
}
