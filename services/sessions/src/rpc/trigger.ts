import type { HandlerContext } from "@connectrpc/connect";
import type { TriggerRequest, TriggerResponse } from "@muster/proto/sessions";
import { forbidden, isWorkforce } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { turnResult } from "../conversations/reading/turn-result.ts";
import { driverOf, keyFor } from "../input/caller.ts";
import { readTriggerCommand } from "../input/trigger-command.ts";
import { handedOver, refusalFor } from "../store/refusals/unavailable.ts";
import { eventsOf } from "../turns/stream/event-queue.ts";
import { beginTurn } from "../turns/trigger/begin-turn.ts";
import { triggerWorkforce } from "./trigger-workforce.ts";

/** Runs one turn. Refusals are thrown before the first message; later failures are `error` events. */
export async function* trigger(
  context: SessionsContext,
  request: TriggerRequest,
  call: HandlerContext,
): AsyncGenerator<TriggerResponse, void, undefined> {
  const caller = driverOf(call);
  if (isWorkforce(caller)) {
    yield* triggerWorkforce(context.hidden, caller, request, call);
    return;
  }
  if (request.run !== undefined) throw forbidden("Only the workforce service runs its agents.");
  const command = await readTriggerCommand(request);
  const key = keyFor(caller, command.sessionId);
  const execution = await beginTurn(context, key, command, call).catch((error: unknown) => {
    throw refusalFor(error);
  });
  for await (const events of eventsOf(execution, call.signal, command)) {
    yield { $typeName: "muster.sessions.v1.TriggerResponse", events, ...execution.tokens.fieldFor(events) };
  }
  if (execution.isHandedOver) throw handedOver();
  if (!request.wantsResult) return;
  const { conversation, frame } = execution.machine;
  const result = turnResult(conversation, frame.messageId);
  yield { $typeName: "muster.sessions.v1.TriggerResponse", events: [], result };
}
