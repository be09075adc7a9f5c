import type { HandlerContext } from "@connectrpc/connect";
import type { ExecuteWorkerRequest, ExecuteWorkerResponse } from "@muster/proto/sessions";
import { type CallPrincipal, forbidden } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { assertAgent, driverOf } from "../input/caller.ts";
import { readWorkerCommand, type WorkerCommand } from "../input/read-worker-command.ts";
import { refusalFor } from "../store/refusals/unavailable.ts";
import { assertTaking } from "../turns/begin/drive.ts";
import type { Execution } from "../turns/driver/execution.ts";
import { eventsOf } from "../turns/stream/event-queue.ts";
import { beginWorker } from "../turns/worker/begin-worker.ts";
import { continueWorker } from "../turns/worker/continue-worker.ts";

/** Runs a worker until it ends or pauses. Refusals are thrown before the first message. */
export async function* executeWorker(
  context: SessionsContext,
  request: ExecuteWorkerRequest,
  call: HandlerContext,
): AsyncGenerator<ExecuteWorkerResponse, void, undefined> {
  const caller = driverOf(call);
  if (caller.sessionId !== undefined) {
    throw forbidden("This credential is valid for one session and cannot run workers.");
  }
  const command = await readWorkerCommand(request, caller);
  if ("agentId" in command.agent) assertAgent(caller, command.agent.agentId);
  const execution = await begin(context, caller, command, call).catch((error: unknown) => {
    throw refusalFor(error);
  });
  for await (const events of eventsOf(execution, call.signal)) {
    yield {
      $typeName: "muster.sessions.v1.ExecuteWorkerResponse",
      events,
      ...execution.tokens.fieldFor(events),
    };
  }
}

async function begin(
  context: SessionsContext,
  caller: CallPrincipal,
  command: WorkerCommand,
  call: HandlerContext,
): Promise<Execution> {
  assertTaking(context);
  return command.type === "start"
    ? beginWorker(context, caller, command, call)
    : continueWorker(context, caller, command, call);
}
