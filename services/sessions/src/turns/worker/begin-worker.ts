import type { HandlerContext } from "@connectrpc/connect";
import { beginTurn, type NewTurn, newConversation } from "@muster/engine";
import { type CallPrincipal, invalidRequest, lowestUsd } from "@muster/rpc";
import { isOf, type PinnedAgent } from "../../agents/programs.ts";
import type { SessionsContext } from "../../context.ts";
import { assertAgent } from "../../input/caller.ts";
import { assertNewNames } from "../../input/dynamic-tools.ts";
import type { BeginWorkerCommand } from "../../input/read-worker-command.ts";
import { checkedInput, filesIn } from "../../input/values.ts";
import type { Held } from "../../store/moves.ts";
import { assertStorable } from "../../store/refusals/unavailable.ts";
import type { SessionDocument } from "../../store/session-document.ts";
import { newLease } from "../begin/acquire.ts";
import { assertFiles } from "../begin/assert-files.ts";
import { assertTaking, drive, ledgerOf, payerOf, takeFirstInput } from "../begin/drive.ts";
import { liveEnvironment, withProjectSettings } from "../begin/turn-environment.ts";
import type { Execution } from "../driver/execution.ts";
import type { Persistence } from "../driver/once-there-is-space.ts";
import { eagerServers } from "../remote/remote-calls.ts";

/** Begins an execution with the latest version, or refuses and stores nothing. */
export async function beginWorker(
  context: SessionsContext,
  caller: CallPrincipal,
  command: BeginWorkerCommand,
  call: HandlerContext,
): Promise<Execution> {
  const { agent, turn } = await readTurn(context, caller, command, call);
  const input = JSON.stringify(turn.sessionInput);
  assertStorable(context, { input, tail: null, memory: null });
  const given = { projectId: caller.projectId, program: turn.program, dynamicTools: turn.dynamicTools };
  const environment = await withProjectSettings(context, given, liveEnvironment(context));
  await environment.remote?.connect(
    eagerServers({ program: turn.program, workers: turn.workers ?? new Map() }),
    call.signal,
  );
  const machine = beginTurn(turn, { ...environment, canAsk: false });
  const owner = { projectId: caller.projectId, ownerIds: [] };
  const { subject, maxUsd } = command;
  const chargedTo = payerOf({ projectId: caller.projectId, subject }, caller.keyId);
  await assertFiles(context, owner, filesIn(turn.program.input, turn.sessionInput));
  const begun = await takeFirstInput(context, owner, machine, { type: "start" }, chargedTo);
  call.signal.throwIfAborted();
  assertTaking(context);
  const stored = await insertHeld(
    context,
    { ...agent, ...(subject && { subject }) },
    turn.executionId,
    input,
  );
  const metering = workerLedger(context, caller, { ...stored.held, subject }, turn.executionId, maxUsd);
  return drive(
    context,
    { call, ...stored, ...metering, bytes: input.length, reportsUsage: true },
    { ...begun, remoteCalls: environment.remote, definedMaxUsd: turn.program.maxUsd },
  );
}

async function readTurn(
  { programs, workerLibraries, newId }: SessionsContext,
  caller: CallPrincipal,
  { agent: name, input, dynamicTools }: BeginWorkerCommand,
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

/** A worker has no session: its calls are recorded under its execution. `limit`: of the cost of the execution. */
export function workerLedger(
  context: SessionsContext,
  { keyId, maxUsd: ofCaller }: CallPrincipal,
  {
    projectId,
    agentId,
    subject,
    epoch,
  }: Pick<Held, "projectId" | "epoch"> & { agentId: string; subject?: string | undefined },
  executionId: string,
  limit: string | undefined,
) {
  const place = { agentId, sessionId: executionId, executionId, epoch };
  const metering = ledgerOf(context, { ...payerOf({ projectId, subject }, keyId), ...place });
  return { ...metering, maxUsd: lowestUsd(ofCaller, limit) };
}

/** Stores the execution with its lease taken. After a crash, a document remains that expires soon. */
async function insertHeld(
  context: SessionsContext,
  agent: PinnedAgent & Pick<SessionDocument, "subject">,
  executionId: string,
  input: string,
) {
  const { projectId, agentId } = agent;
  const persistence = begunPersistence(context);
  const nowMs = context.clock.now();
  const lease = newLease(context, nowMs);
  const held = { projectId, agentId, sessionId: executionId, epoch: 1, runId: lease.runId };
  const session = {
    _id: executionId,
    ...agent,
    status: "active" as const,
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
  };
  await context.workers.insert(session);
  return { session, persistence, held, lease };
}

/** Long enough for a caller that repeats its last results to learn that they have arrived. */
const overForMs = 15 * 60_000;

/** For executions that began in this request: they have no pause yet that is worth keeping. */
function begunPersistence({ workers, expiryFrom }: SessionsContext): Persistence {
  const expiry = { held: soon, paused: expiryFrom, over: soon };
  return { store: workers, expiry, keeps: "pauses" };
}

/** For executions that continued from a pause. */
export function continuedPersistence({ workers, expiryFrom }: SessionsContext): Persistence {
  const expiry = { held: expiryFrom, paused: expiryFrom, over: soon };
  return { store: workers, expiry, keeps: "pauses" };
}

function soon(nowMs: number): Date {
  return new Date(nowMs + overForMs);
}
