import type { HandlerContext } from "@connectrpc/connect";
import type { StartedSession, StartSessionRequest, StartSessionResponse } from "@muster/proto/sessions";
import type { SessionsContext } from "../context.ts";
import { turnResult } from "../conversations/reading/turn-result.ts";
import { driverOf } from "../input/caller.ts";
import { readStartRequest, type StartRequest } from "../input/read-start-request.ts";
import { handedOver, refusalFor } from "../store/refusals/unavailable.ts";
import type { StartDocument } from "../store/start-store.ts";
import type { Execution } from "../turns/driver/execution.ts";
import { beginSession } from "../turns/open/begin-session.ts";
import { findFirstTurn, replay, storedResult } from "../turns/open/replay.ts";
import { eventsOf } from "../turns/stream/event-queue.ts";

type Responses = AsyncGenerator<StartSessionResponse, void, undefined>;

/**
 * Opens a session and runs its first turn, or replays that of an earlier request with the same key. Refusals are thrown
 * before the first message; later failures are `error` events.
 */
export async function* startSession(
  context: SessionsContext,
  request: StartSessionRequest,
  call: HandlerContext,
): Responses {
  const caller = driverOf(call);
  const start = await readStartRequest(request, context.newId("ses"), caller);
  const begun = await beginSession(context, caller, start, call).catch((error: unknown) => {
    throw refusalFor(error);
  });
  if ("execution" in begun) yield* live(begun.execution, start, request, call);
  else yield* repeated(context, begun.earlier, start, request, call);
}

async function* live(
  execution: Execution,
  { command }: StartRequest,
  { wantsResult }: StartSessionRequest,
  call: HandlerContext,
): Responses {
  const { held, machine } = execution;
  let session = startedSession({ sessionId: held.sessionId, executionId: machine.frame.executionId });
  for await (const events of eventsOf(execution, call.signal, command)) {
    yield response({ events, ...execution.tokens.fieldFor(events), ...(session && { session }) });
    session = undefined;
  }
  if (execution.isHandedOver) throw handedOver();
  if (wantsResult) yield response({ result: turnResult(machine.conversation, machine.frame.messageId) });
}

/** The first message has no events: the request is accepted. */
async function* repeated(
  context: SessionsContext,
  earlier: StartDocument,
  { command }: StartRequest,
  { wantsResult }: StartSessionRequest,
  call: HandlerContext,
): Responses {
  try {
    const turn = await findFirstTurn(context, earlier, command.stored, call);
    const session = startedSession({ ...earlier, replayed: true, eventsGone: turn === undefined });
    yield response({ session });
    if (turn === undefined) return;
    const events = replay(context, earlier, command.stored, turn, call);
    let next = await events.next();
    for (; !next.done; next = await events.next()) yield response({ events: next.value });
    if (wantsResult) yield response({ result: await storedResult(context, earlier, next.value) });
  } catch (error) {
    throw refusalFor(error);
  }
}

function response(fields: Partial<StartSessionResponse>): StartSessionResponse {
  return { $typeName: "muster.sessions.v1.StartSessionResponse", events: [], ...fields };
}

function startedSession({
  sessionId,
  executionId,
  replayed = false,
  eventsGone = false,
}: Pick<StartedSession, "sessionId" | "executionId"> & Partial<StartedSession>): StartedSession | undefined {
  return { $typeName: "muster.sessions.v1.StartedSession", sessionId, executionId, replayed, eventsGone };
}
