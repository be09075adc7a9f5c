import type { HandlerContext } from "@connectrpc/connect";
import type { CallPrincipal } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { CostMeter } from "../driver/cost-meter.ts";
import type { Execution } from "../driver/execution.ts";
import { assertTaking, launch, prepare } from "../driver/launch.ts";
import { startTurn } from "../engine/index.ts";
import { invalidRequest } from "../input/issues.ts";
import type { StartWorkerCommand } from "../input/worker-command.ts";
import { isOf } from "../programs.ts";
import { assertAgent } from "../rpc/access.ts";
import { checkedInput } from "../rpc/checked-input.ts";
import { newConversation } from "../rpc/new-conversation.ts";
import { assertStorable } from "../rpc/too-large.ts";
import { newLease } from "../trigger/acquire.ts";
import { assertNewNames } from "../trigger/start-turn.ts";
import { startedHome } from "./home.ts";

/** Begins an execution with the latest version, or refuses and stores nothing. */
export async function startWorker(
  context: SessionsContext,
  caller: CallPrincipal,
  command: StartWorkerCommand,
  call: HandlerContext,
): Promise<Execution> {
  const { projectId } = caller;
  const { clock, newId } = context;
  const { program, slug, agentId, agentVersion } = await context.programs.latest(
    command.agent,
    projectId,
    call,
    "This agent is archived; it takes no new executions.",
  );
  assertAgent(caller, agentId);
  if (!isOf(program, "worker")) {
    throw invalidRequest("agent", "must be a worker; create a session with an interactive agent instead");
  }
  const sessionInput = checkedInput(program.input, command.input);
  const input = JSON.stringify(sessionInput);
  assertStorable(context, { input, conversation: null });
  assertNewNames(program, command.dynamicTools);
  const executionId = newId("exe");
  const machine = startTurn(
    {
      program,
      conversation: newConversation(program),
      executionId,
      sessionInput,
      triggerName: "",
      triggerInput: {},
      workerSlug: slug,
      dynamicTools: command.dynamicTools,
    },
    { newId, now: () => clock.now() },
  );
  const prepared = await prepare(context, machine, { type: "start" });
  call.signal.throwIfAborted();
  assertTaking(context);
  const nowMs = clock.now();
  const home = startedHome(context);
  const { leaseUntilMs, ...lease } = newLease(context, nowMs);
  const held = { projectId, agentId, sessionId: executionId, epoch: 1, runId: lease.runId };
  await context.workers.insert({
    _id: executionId,
    projectId,
    agentId,
    agentVersion,
    status: "active",
    input,
    conversation: null,
    createdAt: new Date(nowMs),
    updatedAt: new Date(nowMs),
    expiresAt: home.expiry.held(nowMs),
    epoch: held.epoch,
    lease: { ...lease, cancelRequested: false },
    execution: null,
  });
  const meter = new CostMeter(context.catalog);
  return launch(context, { home, held, leaseUntilMs, input, meter }, prepared);
}
