import type { HandlerContext } from "@connectrpc/connect";
import type { TriggerRequest, TriggerResponse } from "@muster/proto/sessions";
import type { SessionsContext } from "../context.ts";
import type { Execution } from "../driver/execution.ts";
import { readTriggerCommand, type TriggerCommand } from "../input/trigger-command.ts";
import { begin } from "../trigger/begin.ts";
import { keyFor, sessionsCaller } from "./access.ts";
import { answerFor } from "./unavailable.ts";

/** Runs one turn. Refusals are thrown before the first message; later failures are `error` events. */
export async function* trigger(
  context: SessionsContext,
  request: TriggerRequest,
  call: HandlerContext,
): AsyncGenerator<TriggerResponse, void, undefined> {
  const caller = sessionsCaller(call);
  const command = readTriggerCommand(request);
  const key = keyFor(caller, command.sessionId);
  const execution = await begin(context, key, command, call).catch((error: unknown) => {
    throw answerFor(error);
  });
  const leave = () => readerLeft(execution, command);
  call.signal.addEventListener("abort", leave, { once: true });
  if (call.signal.aborted) leave();
  let isRead = false;
  try {
    for await (const events of execution.events.batches()) {
      yield { $typeName: "muster.sessions.v1.TriggerResponse", events };
    }
    // A stream that was cut must not look like one that ended.
    call.signal.throwIfAborted();
    isRead = true;
  } finally {
    call.signal.removeEventListener("abort", leave);
    if (!isRead) leave();
  }
}

function readerLeft(execution: Execution, command: TriggerCommand): void {
  execution.events.abandon();
  if (!command.detached) execution.stop("disconnected");
}
