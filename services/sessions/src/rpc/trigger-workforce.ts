import type { HandlerContext } from "@connectrpc/connect";
import type { TriggerRequest, TriggerResponse } from "@muster/proto/sessions";
import { type CallPrincipal, Issues, requestIdOf } from "@muster/rpc";
import type { HiddenContext } from "../context.ts";
import { turnResult } from "../conversations/reading/turn-result.ts";
import { keyFor } from "../input/caller.ts";
import { type RunCommand, readWorkforceRun } from "../input/read-workforce-run.ts";
import { readTriggerCommand, type TriggerCommand } from "../input/trigger-command.ts";
import type { SessionKey } from "../store/moves.ts";
import { refusalFor, unavailable } from "../store/refusals/unavailable.ts";
import type { RunCall } from "../store/session-document.ts";
import type { Execution } from "../turns/driver/execution.ts";
import { messageIdIn, storedResult } from "../turns/open/replay.ts";
import { eventsOf } from "../turns/stream/event-queue.ts";
import { beginLocked } from "../turns/trigger/begin-turn.ts";
import { attach } from "../turns/workforce/attach.ts";
import { claimCall } from "../turns/workforce/claim-call.ts";

type Responses = AsyncGenerator<TriggerResponse, void, undefined>;

/** Runs one turn of a workforce thread, or attaches to the run that an earlier attempt of the same call has begun. */
export async function* triggerWorkforce(
  hidden: HiddenContext,
  caller: CallPrincipal,
  request: TriggerRequest,
  call: HandlerContext,
): Responses {
  const issues = new Issues();
  const run = readWorkforceRun(issues, request.run);
  issues.refuse();
  const command = await readTriggerCommand(request);
  command.run = run.settings;
  command.stored.run = JSON.stringify(run.settings);
  // A thread that asks is continued without results.
  if (command.type === "continue" && command.results.length === 0) command.isDecided = true;
  const key = keyFor(caller, command.sessionId);
  const { wantsResult } = request;
  try {
    while (true) {
      const begun = await beginCall(hidden, key, command, run, call);
      if ("execution" in begun) {
        const { execution } = begun;
        for await (const events of eventsOf(execution, call.signal, command)) {
          if (execution.isLost) break;
          yield response({ events, ...execution.tokens.fieldFor(events) });
        }
        // The same call attaches to the process that continues the run.
        if (execution.isLost)
          throw unavailable("Another process continues this run; send the same call again.");
        const { conversation, frame } = execution.machine;
        if (wantsResult) yield response({ result: turnResult(conversation, frame.messageId) });
        return;
      }
      let messageId = "";
      const pieces = attach(hidden, key, begun.call, { after: run.after, opening: command.stored }, call);
      let next = await pieces.next();
      for (; !next.done; next = await pieces.next()) {
        messageId ||= messageIdIn(next.value);
        yield response({ events: next.value });
      }
      // Otherwise the earlier attempt was refused, and this one will be.
      if (!next.value) continue;
      if (wantsResult) yield response({ result: await storedResult(hidden, key, messageId) });
      return;
    }
  } catch (error) {
    throw refusalFor(error);
  }
}

/** An execution that the call has begun, or the call's earlier attempt that has. */
type BegunCall = { execution: Execution } | { call: RunCall };

/** Begins what a call of the workforce service asks for, unless it has been begun already. Throws as a trigger and a claim do. */
async function beginCall(
  hidden: HiddenContext,
  key: SessionKey,
  command: TriggerCommand,
  run: RunCommand,
  call: HandlerContext,
): Promise<BegunCall> {
  const { signal } = call;
  const claimed = await claimCall(hidden, key, command, run, { signal, requestId: requestIdOf(call) });
  if ("call" in claimed) return claimed;
  const { acquired, executionId } = claimed;
  return { execution: await beginLocked(hidden, acquired, command, executionId, call) };
}

function response(fields: Partial<TriggerResponse>): TriggerResponse {
  return { $typeName: "muster.sessions.v1.TriggerResponse", events: [], ...fields };
}
