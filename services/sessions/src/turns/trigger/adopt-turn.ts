import type { HandlerContext } from "@connectrpc/connect";
import { requestIdOf } from "@muster/rpc";
import type { SessionsContext } from "../../context.ts";
import type { Held } from "../../store/moves.ts";
import { fileOwnerOf, type SessionDocument } from "../../store/session-document.ts";
import { CostMeter } from "../../usage/session-usage.ts";
import { newLease } from "../begin/acquire.ts";
import { assertTaking, drive, meteringOf } from "../begin/drive.ts";
import type { Execution } from "../driver/execution.ts";
import { type AbandonedTurn, maxAdoptions } from "../follow/abandoned-turn.ts";
import { fenceEvents } from "../follow/fence-events.ts";
import { adoptedTurn, repeatCalls } from "./adopted-turn.ts";

/**
 * Continues a turn whose process died or stopped from the beginning of its model call, or ends it with an error if that has been
 * tried too often. Does nothing if another instance is faster.
 * After a failure, the turn can still be adopted.
 */
export async function adoptTurn(
  context: SessionsContext,
  turn: AbandonedTurn,
  call: HandlerContext,
): Promise<void> {
  assertTaking(context);
  const nowMs = context.clock.now();
  const { executionId, run } = turn.run;
  const lease = { ...newLease(context, nowMs), executionId, run };
  const expiresAt = context.persistence.expiry.held(nowMs);
  const taken = await context.store.adopt(turn.from, lease, expiresAt, new Date(nowMs));
  if (taken === undefined) return;
  const { before, held } = taken;
  let isRunning = false;
  try {
    const execution = await driveAdopted(context, turn, before, held, lease.until.getTime(), call);
    if (execution === undefined) return;
    isRunning = true;
    bind(execution, before, call.signal);
  } finally {
    if (!isRunning) await context.store.abandon(held, before.lease ?? {});
  }
}

/** Undefined: the events of the turn have their end already. */
async function driveAdopted(
  context: SessionsContext,
  turn: AbandonedTurn,
  session: SessionDocument,
  held: Held,
  leaseUntilMs: number,
  call: HandlerContext,
): Promise<Execution | undefined> {
  const adopted = await adoptedTurn(context, session, turn, call);
  const { run } = turn;
  const first = await fenceEvents(context, run, adopted.events, session.lease?.handedOver);
  if (first === undefined) return undefined;
  const begun = await repeatCalls(context, fileOwnerOf(session), adopted, first - 1);
  const { persistence } = context;
  const { agentId, input, lease } = session;
  const order = {
    ...{ requestId: requestIdOf(call), agentId, persistence, held, leaseUntilMs, input },
    bytes: adopted.bytes,
    meter: new CostMeter(context.catalog, adopted.fees),
    ...(await meteringOf(context, session, lease ?? {}, run.executionId)),
    reportsUsage: lease?.options?.reportsUsage ?? false,
    from: { run: run.run, first },
  };
  return drive(context, order, begun);
}

/** The reader that adopts a turn takes the place of the one that triggered it; it reads from the turn's log. */
function bind(execution: Execution, { lease }: SessionDocument, signal: AbortSignal): void {
  execution.events.abandon();
  if (lease?.cancelRequested) execution.stop("cancelled");
  if ((lease?.adoptions ?? 0) >= maxAdoptions) execution.stop("adopted-too-often");
  if (lease?.options?.detached) return;
  const leave = () => execution.stop("disconnected");
  signal.addEventListener("abort", leave, { once: true });
  void execution.freed.then(() => signal.removeEventListener("abort", leave));
  if (signal.aborted) leave();
}
