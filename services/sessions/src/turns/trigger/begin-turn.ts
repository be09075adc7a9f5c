import type { HandlerContext } from "@connectrpc/connect";
import { type CallPrincipal, callerOf, lowestUsd } from "@muster/rpc";
import type { Asker } from "../../agents/programs.ts";
import type { SessionsContext } from "../../context.ts";
import { bytesOf } from "../../conversations/history/head.ts";
import type { TurnHistory } from "../../conversations/history/turn-history.ts";
import { found } from "../../input/caller.ts";
import type { TriggerCommand } from "../../input/trigger-command.ts";
import type { SessionKey } from "../../store/moves.ts";
import { sessionExpired, tooLarge } from "../../store/refusals/unavailable.ts";
import {
  fileOwnerOf,
  isExpired,
  type Lease,
  type SessionDocument,
  storedBytes,
} from "../../store/session-document.ts";
import type { ChargedTo } from "../../usage/spending-guard.ts";
import { type Acquired, acquire, beginningOf, type Lockable } from "../begin/acquire.ts";
import { assertFiles } from "../begin/assert-files.ts";
import {
  assertFits,
  assertTaking,
  type BegunTurn,
  drive,
  meteringOf,
  payerOf,
  type TurnToDrive,
  takeFirstInput,
} from "../begin/drive.ts";
import type { Execution } from "../driver/execution.ts";
import { loadTurn, type TurnBeginning } from "./load-turn.ts";

/**
 * Locks the session and starts the execution, or refuses and leaves the session unchanged. Every refusal happens
 * here, before anything is stored or sent.
 */
export async function beginTurn(
  context: SessionsContext,
  key: SessionKey,
  command: TriggerCommand,
  call: HandlerContext,
): Promise<Execution> {
  assertTaking(context);
  const executionId = context.newId("exe");
  const lock = sessionLock(context, key, { ...command, ...chargesOf(callerOf(call), command) }, executionId);
  const acquired = await acquire(context, lock, call.signal);
  return beginLocked(context, acquired, command, executionId, call);
}

/**
 * Starts the execution of a session that was locked for it. After a refusal the lock is undone. `from`: where the events of
 * a turn that asked continue; absent: they begin.
 */
export async function beginLocked(
  context: SessionsContext,
  { before, held, lease }: Acquired,
  command: TriggerCommand,
  executionId: string,
  call: HandlerContext | Asker,
  from?: TurnToDrive["from"],
): Promise<Execution> {
  try {
    const turn = { executionId, beginning: beginningOf(lease) };
    const chargedTo = chargedToOf(before, lease, call);
    const begun = await firstInput(
      context,
      before,
      command,
      { ...turn, ...(chargedTo && { chargedTo }) },
      call,
    );
    // A caller that has already left wants no turn.
    if (!command.detached && "signal" in call) call.signal.throwIfAborted();
    assertTaking(context);
    const metering = await meteringOf(context, before, held, lease, begun.machine.frame.executionId);
    const bytes = storedBytes(before) + command.bytes;
    const fees = command.type === "continue" ? before.execution?.fees : undefined;
    const { reportsUsage } = command;
    const turnToDrive = { call, session: before, held, lease, bytes, fees, ...metering, reportsUsage };
    const execution = drive(context, { ...turnToDrive, ...(from && { from }) }, begun);
    if (before.execution?.state === "asking" && command.type === "start") closeApprovals(context, before);
    return execution;
  } catch (refusal) {
    await context.store.undoLock(held, before);
    throw refusal;
  }
}

/** If this fails, or the process dies, a sweep finds that the turn that asked has gone. */
function closeApprovals(
  context: SessionsContext,
  { _id: sessionId, projectId, execution }: SessionDocument,
): void {
  const closed = context.approvals.cancelTurn({ projectId, sessionId, executionId: execution?.id ?? "" });
  closed.catch((error: unknown) =>
    context.log.warn({ err: error, sessionId }, "approvals could not be closed"),
  );
}

/** The session's lock. Refuses with NOT_FOUND, FORBIDDEN or SESSION_EXPIRED. */
function sessionLock(
  { store, clock, persistence }: SessionsContext,
  key: SessionKey,
  { type, detached, reportsUsage, bytes, stored, keyId, maxUsd }: TriggerCommand & { keyId: string },
  newExecutionId: string,
): Lockable {
  return {
    ...(type === "start" && { executionId: newExecutionId }),
    turn: {
      ...{ detached, reportsUsage, keyId, bytes, command: stored },
      ...(maxUsd !== undefined && { maxUsd }),
    },
    store,
    key,
    expiresAt: persistence.expiry.held,
    busy: "Another execution of this session is running; try again when it has ended.",
    assertLockable: async () => {
      const session = found(key, await store.find(key));
      if (!isExpired(session, clock.now())) return;
      throw sessionExpired();
    },
  };
}

/** The key that pays for a turn of the caller, and the lowest limit of its cost. */
export function chargesOf(
  { keyId, maxUsd: ofCaller }: CallPrincipal,
  { maxUsd: given }: { maxUsd?: string },
) {
  const maxUsd = lowestUsd(ofCaller, given);
  return { keyId, ...(maxUsd !== undefined && { maxUsd }) };
}

/**
 * Whom a limit refuses. A turn that users' decisions continue has no caller, and a run of a workforce agent is refused by its own
 * service: both end with an event.
 */
function chargedToOf(
  session: SessionDocument,
  { options }: Pick<Lease, "options">,
  call: HandlerContext | Asker,
): ChargedTo | undefined {
  if (session.workforce !== undefined || !("signal" in call)) return undefined;
  return payerOf(session, options?.keyId);
}

async function firstInput(
  context: SessionsContext,
  session: SessionDocument,
  command: TriggerCommand,
  turn: TurnBeginning & { chargedTo?: ChargedTo },
  call: HandlerContext | Asker,
): Promise<BegunTurn> {
  const opened = await loadTurn(context, session, command, turn, call);
  const { machine, input, environment, history, files, definedMaxUsd } = opened;
  assertRoom(context, session, history, command);
  const owner = fileOwnerOf(session);
  // The workforce service has checked those of its messages when it accepted them, maybe days ago.
  if (session.workforce === undefined && files.length > 0) await assertFiles(context, owner, files);
  const begun = await takeFirstInput(context, owner, machine, input, turn.chargedTo);
  environment.goLive();
  await assertFits(context, session, command.bytes, begun, history);
  return { ...begun, history, remoteCalls: environment.remote, definedMaxUsd };
}

/**
 * A rollback makes room, so it is always accepted. Messages that are about to be archived leave the document before the
 * turn is stored.
 */
function assertRoom(
  { maxStateBytes, maxConversationBytes }: SessionsContext,
  session: SessionDocument,
  history: TurnHistory,
  command: TriggerCommand,
): void {
  if (command.type === "start" && command.rollbackAfterMessageId !== undefined) return;
  const bytes = storedBytes(session) + command.bytes;
  const fits = bytes <= maxStateBytes || bytes - history.waitingBytes() <= maxStateBytes;
  if (fits && bytes + bytesOf(session.head ?? []) <= maxConversationBytes) return;
  throw tooLarge("The session would become too large to store; roll it back or create a new one.");
}
