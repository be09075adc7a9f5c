import type { HandlerContext } from "@connectrpc/connect";
import type { Effect } from "@muster/engine";
import { callerOf } from "@muster/rpc";
import type { SessionsContext } from "../../context.ts";
import type { StartRequest } from "../../input/read-start-request.ts";
import type { BeginCommand } from "../../input/trigger-command.ts";
import type { Held } from "../../store/moves.ts";
import { tooLarge } from "../../store/refusals/unavailable.ts";
import { fileOwnerOf, type SessionDocument, storedBytes } from "../../store/session-document.ts";
import type { NewLease } from "../../store/session-leases.ts";
import { SessionMeter } from "../../usage/session-usage.ts";
import { beginningOf, newLease } from "../begin/acquire.ts";
import { assertFiles } from "../begin/assert-files.ts";
import {
  assertFits,
  assertTaking,
  type BegunTurn,
  drive,
  ledgerOf,
  payerOf,
  takeFirstInput,
} from "../begin/drive.ts";
import type { Execution } from "../driver/execution.ts";
import type { ModelCalls } from "../driver/model-calls.ts";
import { chargesOf } from "../trigger/begin-turn.ts";
import { loadTurn } from "../trigger/load-turn.ts";
import { newDocument, type OpenAgent } from "./new-document.ts";

/** A session and its first turn, in memory only. */
export interface FirstTurn {
  document: SessionDocument;
  command: BeginCommand;
  lease: NewLease;
  begun: BegunTurn;
}

/** Refuses what a create and a trigger refuse. */
export async function beginFirstTurn(
  context: SessionsContext,
  agent: OpenAgent,
  { session, command }: StartRequest,
  executionId: string,
  call: HandlerContext,
): Promise<FirstTurn> {
  const document = await newDocument(context, agent, session, command.sessionId);
  if (storedBytes(document) + command.bytes > context.maxStateBytes) {
    throw tooLarge("The session would become too large to store; send less input.");
  }
  const { detached, reportsUsage, bytes, stored } = command;
  const charges = chargesOf(callerOf(call), command);
  const requested = { detached, reportsUsage, ...charges, bytes, command: stored, opensSession: true };
  const lease = { ...newLease(context, context.clock.now(), requested), executionId };
  const beginning = { executionId, beginning: beginningOf(lease) };
  const turn = await loadTurn(context, document, command, beginning, call);
  const owner = fileOwnerOf(document);
  await assertFiles(context, owner, turn.files);
  const chargedTo = payerOf(document, charges.keyId);
  const begun = await takeFirstInput(context, owner, turn.machine, turn.input, chargedTo);
  turn.environment.goLive();
  await assertFits(context, document, command.bytes, begun, turn.history);
  // A caller that has already left wants no session.
  if (!detached) call.signal.throwIfAborted();
  assertTaking(context);
  return {
    document,
    command,
    lease,
    begun: {
      ...begun,
      history: turn.history,
      remoteCalls: turn.environment.remote,
      definedMaxUsd: turn.definedMaxUsd,
    },
  };
}

/**
 * Inserts the session and runs its turn. Undefined: the session exists. `isFirst`: no other request can have inserted it, so
 * that the model is called meanwhile. Nothing of its response is used before the insert; if that fails, the call was in vain.
 */
export async function openWithTurn(
  context: SessionsContext,
  turn: FirstTurn,
  call: HandlerContext,
  { isFirst }: { isFirst: boolean },
): Promise<Execution | undefined> {
  const { effects, modelCalls } = turn.begun;
  const chargedTo = payerOf(turn.document, callerOf(call).keyId);
  // A call that a limit counts is not made before it is counted.
  const isEarly = isFirst && !(await context.spending.isLimited(chargedTo));
  const inserting = context.store.insertHeld(turn.document, turn.lease);
  if (isEarly) callEarly(effects, modelCalls);
  try {
    const held = await inserting;
    if (held !== null) return driveFirstTurn(context, turn, held, call);
    modelCalls.end();
  } catch (error) {
    modelCalls.end();
    throw error;
  }
  return undefined;
}

/** Only the call that follows at once: none after a write, and no calls of workers at the same time. */
function callEarly(effects: readonly Effect[], modelCalls: ModelCalls): void {
  const [first, ...others] = effects.filter(({ type }) => type !== "emit" && type !== "note");
  if (first?.type === "call-model" && others.length === 0) modelCalls.startEarly(first.call);
}

/** Runs the turn of a session that has just been inserted. */
function driveFirstTurn(
  context: SessionsContext,
  { document, command, lease, begun }: FirstTurn,
  held: Held,
  call: HandlerContext,
): Execution {
  const bytes = storedBytes(document) + command.bytes;
  const { _id: sessionId, agentId } = document;
  const { executionId } = begun.machine.frame;
  const { keyId } = callerOf(call);
  const place = { agentId, sessionId, executionId, epoch: held.epoch };
  const metering = ledgerOf(context, { ...payerOf(document, keyId), ...place });
  const sessionMeter = new SessionMeter(undefined);
  const { reportsUsage } = command;
  const maxUsd = lease.options?.maxUsd;
  return drive(
    context,
    { call, session: document, held, lease, bytes, ...metering, maxUsd, sessionMeter, reportsUsage },
    begun,
  );
}
