import type { HandlerContext } from "@connectrpc/connect";
import { beginTurn, type NewTurn, newConversation } from "@muster/engine";
import { type CallPrincipal, invalidRequest, requestIdOf } from "@muster/rpc";
import { isOf, type PinnedAgent } from "../../agents/programs.ts";
import type { SessionsContext } from "../../context.ts";
import { assertAgent } from "../../input/caller.ts";
import { checkedInput } from "../../input/checked-input.ts";
import { assertNewNames } from "../../input/dynamic-tools.ts";
import { filesIn } from "../../input/file-values.ts";
import type { StartWorkerCommand } from "../../input/worker-command.ts";
import { assertStorable } from "../../store/refusals/too-large.ts";
import { CostMeter } from "../../usage/cost-meter.ts";
import type { Execution } from "../driver/execution.ts";
import { newLease } from "../launch/acquire.ts";
import { assertFiles } from "../launch/assert-files.ts";
import { assertTaking, launch, prepare } from "../launch/launch.ts";
import { liveEnvironment } from "../launch/turn-environment.ts";
import { startedPersistence } from "./worker-persistence.ts";

/** Begins an execution with the latest version, or refuses and stores nothing. */
export async function startWorker(
  context: SessionsContext,
  caller: CallPrincipal,
  command: StartWorkerCommand,
  call: HandlerContext,
): Promise<Execution> {
  const { agent, turn } = await readTurn(context, caller, command, call);
  const input = JSON.stringify(turn.sessionInput);
  assertStorable(context, { input, tail: null, memory: null });
  const machine = beginTurn(turn, liveEnvironment(context));
  const owner = { projectId: caller.projectId, ownerIds: [] };
  await assertFiles(context, owner, filesIn(turn.program.input, turn.sessionInput));
  const prepared = await prepare(context, owner, machine, { type: "start" });
  call.signal.throwIfAborted();
  assertTaking(context);
  const stored = await insertHeld(context, agent, turn.executionId, input);
  const order = {
    requestId: requestIdOf(call),
    agentId: agent.agentId,
    ...stored,
    input,
    bytes: input.length,
    meter: new CostMeter(context.catalog),
    reportsUsage: true,
  };
  return launch(context, order, prepared);
}

async function readTurn(
  { programs, workerLibraries, newId }: SessionsContext,
  caller: CallPrincipal,
  { agent: name, input, dynamicTools }: StartWorkerCommand,
  call: HandlerContext,
): Promise<{ agent: PinnedAgent; turn: NewTurn }> {
  const archived = "This agent is archived and accepts no new executions.";
  const { program, slug, ...agent } = await programs.latest(name, caller.projectId, call, archived);
  assertAgent(caller, agent.agentId);
  if (!isOf(program, "worker")) {
    throw invalidRequest("agent", "must be a worker; create a session for an interactive agent instead");
  }
  assertNewNames(program, dynamicTools);
  const reaching = { projectId: caller.projectId, program, pinned: undefined };
  const turn = {
    program,
    workers: await workerLibraries.open(reaching, call),
    conversation: newConversation(program),
    executionId: newId("exe"),
    sessionInput: checkedInput(program.input, input),
    triggerName: "",
    triggerInput: {},
    workerSlug: slug,
    dynamicTools,
  };
  return { agent, turn };
}

/** Stores the execution with its lease taken. After a crash, a document remains that expires soon. */
async function insertHeld(context: SessionsContext, agent: PinnedAgent, executionId: string, input: string) {
  const { projectId, agentId } = agent;
  const persistence = startedPersistence(context);
  const nowMs = context.clock.now();
  const lease = newLease(context, nowMs);
  const held = { projectId, agentId, sessionId: executionId, epoch: 1, runId: lease.runId };
  await context.workers.insert({
    _id: executionId,
    ...agent,
    status: "active",
    input,
    head: [],
    tail: null,
    memory: null,
    createdAt: new Date(nowMs),
    updatedAt: new Date(nowMs),
    expiresAt: persistence.expiry.held(nowMs),
    epoch: held.epoch,
    lease: { ...lease, cancelRequested: false },
    execution: null,
  });
  return { persistence, held, leaseUntilMs: lease.until.getTime() };
}
