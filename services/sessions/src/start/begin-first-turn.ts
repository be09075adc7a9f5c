import type { HandlerContext } from "@connectrpc/connect";
import { type CallPrincipal, requestIdOf } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { CostMeter } from "../driver/cost/cost-meter.ts";
import { SessionMeter } from "../driver/cost/session-usage.ts";
import type { Execution } from "../driver/execution.ts";
import type { StartRequest } from "../input/start-request.ts";
import type { StartCommand } from "../input/trigger-command.ts";
import { beginningOf, newLease } from "../launch/acquire.ts";
import { assertTaking, launch, type Prepared, prepare } from "../launch/launch.ts";
import { tooLarge } from "../refusals/too-large.ts";
import { type SessionDocument, storedBytes } from "../store/session-document.ts";
import type { NewLease } from "../store/session-store.ts";
import { openTurn } from "../trigger/prepare-turn.ts";
import { newDocument } from "./new-document.ts";
import { assertMayOpen, openAgent } from "./open-agent.ts";

/** Opens a session and starts its first turn, or refuses and stores nothing. */
export async function beginFirstTurn(
  context: SessionsContext,
  caller: CallPrincipal,
  { session, command }: StartRequest,
  call: HandlerContext,
): Promise<Execution> {
  assertTaking(context);
  assertMayOpen(caller, session.agent);
  const agent = await openAgent(context, caller, session.agent, call);
  const document = newDocument(context, agent, session, command.sessionId);
  const lease = leaseFor(context, command);
  const prepared = await prepareFirstTurn(context, document, command, lease, call);
  // A caller that has already left wants no session.
  if (!command.detached) call.signal.throwIfAborted();
  assertTaking(context);
  const held = await context.store.insertHeld(document, lease);
  const order = {
    requestId: requestIdOf(call),
    agentId: agent.agentId,
    persistence: context.persistence,
    held,
    leaseUntilMs: lease.until.getTime(),
    input: document.input,
    bytes: storedBytes(document) + command.bytes,
    meter: new CostMeter(context.catalog),
    sessionMeter: new SessionMeter(undefined),
    reportsUsage: command.reportsUsage,
  };
  return launch(context, order, prepared);
}

function leaseFor(
  context: SessionsContext,
  { detached, reportsUsage, bytes, stored }: StartCommand,
): NewLease & { executionId: string } {
  const turn = { detached, reportsUsage, bytes, command: stored, opensSession: true };
  return { ...newLease(context, context.clock.now(), turn), executionId: context.newId("exe") };
}

async function prepareFirstTurn(
  context: SessionsContext,
  document: SessionDocument,
  command: StartCommand,
  lease: NewLease & { executionId: string },
  call: HandlerContext,
): Promise<Prepared> {
  if (storedBytes(document) + command.bytes > context.maxStateBytes) {
    throw tooLarge("The session would become too large to store; send less input.");
  }
  const opened = await context.histories.open(document);
  const beginning = { executionId: lease.executionId, beginning: beginningOf(lease) };
  const turn = await openTurn(context, document, opened, command, beginning, call);
  const prepared = await prepare(context, turn.machine, turn.input);
  turn.environment.goLive();
  return { ...prepared, history: turn.history };
}
