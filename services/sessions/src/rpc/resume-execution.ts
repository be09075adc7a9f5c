import type { HandlerContext } from "@connectrpc/connect";
import type { ResumeExecutionRequest, ResumeExecutionResponse, StreamEvent } from "@muster/proto/sessions";
import { Issues } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { driverOf, keyFor } from "../input/access.ts";
import { checkId } from "../input/fields.ts";
import { refusalFor } from "../refusals/unavailable.ts";
import { type Cursor, type FoundRun, findRun } from "../resume/find-run.ts";
import { follow } from "../resume/follow.ts";
import type { SessionKey } from "../store/moves.ts";
import { adopt } from "../trigger/adopt.ts";

/** Replays a run's events and follows it. Refusals are thrown before the first message, which has no events. */
export async function* resumeExecution(
  context: SessionsContext,
  { sessionId, executionId, afterSequence }: ResumeExecutionRequest,
  call: HandlerContext,
): AsyncGenerator<ResumeExecutionResponse, void, undefined> {
  const key = keyFor(driverOf(call), sessionId);
  const issues = new Issues();
  checkId(issues, "executionId", executionId);
  issues.refuse();
  try {
    const cursor = { executionId, after: afterSequence };
    let run = await findLiving(context, key, cursor, call);
    yield message([]);
    while (true) {
      const pieces = follow(context, run, cursor.after, call.signal);
      let piece = await pieces.next();
      for (; !piece.done; piece = await pieces.next()) {
        yield message(piece.value);
        cursor.after = piece.value.at(-1)?.sequence ?? cursor.after;
      }
      // A stream that was cut must not look like one that ended.
      call.signal.throwIfAborted();
      if (piece.value === "ended") return;
      run = await findLiving(context, key, cursor, call);
    }
  } catch (error) {
    throw refusalFor(error);
  }
}

/** If the process that executed the run has died, this instance continues it. */
async function findLiving(
  context: SessionsContext,
  key: SessionKey,
  cursor: Cursor,
  call: HandlerContext,
): Promise<Exclude<FoundRun, { abandoned: unknown }>> {
  while (true) {
    const found = await findRun(context, key, cursor, call.signal);
    if (!("abandoned" in found)) return found;
    await adopt(context, found.abandoned, call);
  }
}

function message(events: StreamEvent[]): ResumeExecutionResponse {
  return { $typeName: "muster.sessions.v1.ResumeExecutionResponse", events };
}
