import type { HandlerContext } from "@connectrpc/connect";
import { continueTurn } from "@muster/engine";
import { Reason } from "@muster/proto/errors";
import { type CallPrincipal, rpcError } from "@muster/rpc";
import type { SessionsContext } from "../../context.ts";
import { assertAgent } from "../../input/caller.ts";
import type { ContinueWorkerCommand } from "../../input/read-worker-command.ts";
import { filesOfResults } from "../../input/tool-results.ts";
import type { SessionKey } from "../../store/moves.ts";
import { tooLarge } from "../../store/refusals/unavailable.ts";
import {
  isExpired,
  type SessionDocument,
  type StoredExecution,
  storedBytes,
} from "../../store/session-document.ts";
import { loadConversation, loadFrame, loadInput } from "../../store/state-text.ts";
import { acquire, type Lockable } from "../begin/acquire.ts";
import { assertFiles } from "../begin/assert-files.ts";
import { assertTaking, type BegunTurn, drive, payerOf, takeFirstInput } from "../begin/drive.ts";
import { assertAnswers, outcomesOf, runningWorkers, unknownCall } from "../begin/pending-results.ts";
import { liveEnvironment, withProjectSettings } from "../begin/turn-environment.ts";
import type { Execution } from "../driver/execution.ts";
import { eagerServers } from "../remote/remote-calls.ts";
import { continuedPersistence, workerLedger } from "./begin-worker.ts";

/** Continues a paused execution, or refuses and leaves the pause unchanged. */
export async function continueWorker(
  context: SessionsContext,
  caller: CallPrincipal,
  command: ContinueWorkerCommand,
  call: HandlerContext,
): Promise<Execution> {
  const { projectId, subject } = caller;
  const agentId = await context.programs.idOf(command.agent, projectId, call);
  assertAgent(caller, agentId);
  const key = { projectId, agentId, sessionId: command.executionId, ...(subject && { subject }) };
  const { before, held, lease } = await acquire(context, executionLock(context, key), call.signal);
  try {
    const pause = pauseOf(before);
    const begun = await takeResults(context, before, pause, { ...command, caller }, call);
    call.signal.throwIfAborted();
    assertTaking(context);
    const persistence = continuedPersistence(context);
    const bytes = storedBytes(before) + command.bytes;
    const place = { session: before, held, lease, persistence };
    const metering = workerLedger(
      context,
      caller,
      { ...held, agentId, subject: before.subject },
      before._id,
      pause.maxUsd,
    );
    return drive(
      context,
      { call, ...place, ...metering, fees: pause.fees, bytes, reportsUsage: true },
      begun,
    );
  } catch (refusal) {
    await context.workers.release(held, before.expiresAt);
    throw refusal;
  }
}

function executionLock({ workers, clock, expiryFrom }: SessionsContext, key: SessionKey): Lockable {
  return {
    store: workers,
    key,
    expiresAt: expiryFrom,
    busy: "Another request is continuing this execution; try again when it has ended.",
    assertLockable: async () => {
      const execution = await workers.find(key);
      if (execution !== null && !isExpired(execution, clock.now())) return;
      throw rpcError(
        Reason.NOT_FOUND,
        "This agent's execution does not exist or has expired. Start another one.",
      );
    },
  };
}

/** Only pauses are stored, so an execution is paused, has ended, or died before its first pause. */
function pauseOf({ execution }: SessionDocument): StoredExecution {
  if (execution === null) throw unknownCall("The execution is not waiting for tool results.");
  return execution;
}

async function takeResults(
  context: SessionsContext,
  execution: SessionDocument,
  pause: StoredExecution,
  { results, bytes, caller }: ContinueWorkerCommand & { caller: CallPrincipal },
  call: HandlerContext,
): Promise<BegunTurn> {
  const frame = await loadFrame(pause);
  assertAnswers(frame, results);
  if (storedBytes(execution) + bytes > context.maxStateBytes) {
    throw tooLarge("The execution would become too large to store; send smaller results.");
  }
  const program = await context.programs.pinned(execution, "worker", call);
  const conversation = await loadConversation(execution);
  const sessionInput = await loadInput(execution);
  const turn = { program, conversation, frame };
  const workers = await runningWorkers(context, execution.projectId, turn, call);
  const place = { ...turn, workers };
  const given = { projectId: execution.projectId, program, dynamicTools: frame.dynamicTools };
  const environment = await withProjectSettings(context, given, liveEnvironment(context));
  await environment.remote?.connect(eagerServers(place), call.signal);
  const machine = continueTurn({ ...place, sessionInput }, { ...environment, canAsk: false });
  const owner = { projectId: execution.projectId, ownerIds: [] };
  await assertFiles(context, owner, filesOfResults(results));
  const chargedTo = payerOf(execution, caller.keyId);
  const begun = await takeFirstInput(context, owner, machine, outcomesOf(results), chargedTo);
  return { ...begun, remoteCalls: environment.remote, definedMaxUsd: program.maxUsd };
}
