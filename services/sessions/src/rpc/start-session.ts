import type { HandlerContext } from "@connectrpc/connect";
import type { StartedSession, StartSessionRequest, StartSessionResponse } from "@muster/proto/sessions";
import type { SessionsContext } from "../context.ts";
import { eventsOf } from "../driver/stream/events-of.ts";
import { driverOf } from "../input/access.ts";
import { readStartRequest } from "../input/start-request.ts";
import { refusalFor } from "../refusals/unavailable.ts";
import { beginFirstTurn } from "../start/begin-first-turn.ts";
import { turnResult } from "./turn-result.ts";

/** Opens a session and runs its first turn. Refusals are thrown before the first message; later failures are `error` events. */
export async function* startSession(
  context: SessionsContext,
  request: StartSessionRequest,
  call: HandlerContext,
): AsyncGenerator<StartSessionResponse, void, undefined> {
  const caller = driverOf(call);
  const start = await readStartRequest(request, context.newId("ses"));
  const execution = await beginFirstTurn(context, caller, start, call).catch((error: unknown) => {
    throw refusalFor(error);
  });
  let session: StartedSession | undefined = {
    $typeName: "muster.sessions.v1.StartedSession",
    sessionId: execution.held.sessionId,
    executionId: execution.machine.frame.executionId,
  };
  for await (const events of eventsOf(execution, call.signal, start.command)) {
    const usedTokens = execution.tokens.fieldFor(events);
    yield {
      $typeName: "muster.sessions.v1.StartSessionResponse",
      events,
      ...usedTokens,
      ...(session && { session }),
    };
    session = undefined;
  }
  if (!request.wantsResult) return;
  yield { $typeName: "muster.sessions.v1.StartSessionResponse", events: [], result: turnResult(execution) };
}
