import type { HandlerContext } from "@connectrpc/connect";
import type { ExecuteWorkerRequest, ExecuteWorkerResponse } from "@muster/proto/sessions";
import { type CallPrincipal, forbidden } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import type { Execution } from "../driver/execution.ts";
import { eventsOf } from "../driver/stream/events-of.ts";
import { assertAgent, driverOf } from "../input/access.ts";
import { readWorkerCommand, type WorkerCommand } from "../input/worker-command.ts";
import { assertTaking } from "../launch/launch.ts";
import { refusalFor } from "../refusals/unavailable.ts";
import { continueWorker } from "../worker/continue-worker.ts";
import { startWorker } from "../worker/start-worker.ts";

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
  const command = await readWorkerCommand(request);
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
    ? startWorker(context, caller, command, call)
    : continueWorker(context, caller, command, call);
}
