import { endOf } from "@muster/store/event-log";
import type { Asker } from "../../agents/programs.ts";
import type { SessionsContext } from "../../context.ts";
import type { ContinueCommand } from "../../input/trigger-command.ts";
import type { TurnOfSession } from "../../store/session-document.ts";
import { newLease } from "../begin/acquire.ts";
import { assertTaking } from "../begin/drive.ts";
import { fenceEvents, pendingLines } from "../follow/fence-events.ts";
import { beginLocked } from "../trigger/begin-turn.ts";

/**
 * Continues a turn whose approvals are all decided; its events continue the numbers of those before the pause. Does nothing if
 * another instance is faster.
 */
export async function continueAsking(
  context: SessionsContext,
  { _id: sessionId, projectId, execution }: TurnOfSession,
  asker: Asker,
): Promise<void> {
  assertTaking(context);
  if (execution?.asks === undefined) return;
  const { id: executionId, asks } = execution;
  const { run, reportsUsage, keyId } = asks;
  const stored = { triggerName: "", input: "{}", executionId };
  const nowMs = context.clock.now();
  const lease = {
    ...newLease(context, nowMs, {
      detached: true,
      reportsUsage,
      ...(keyId !== undefined && { keyId }),
      command: stored,
      bytes: 0,
    }),
    run,
  };
  const locked = await context.store.lock(
    { projectId, sessionId },
    lease,
    context.persistence.expiry.held(nowMs),
    new Date(nowMs),
    [],
    { guard: { lease: null, "execution.id": executionId, "execution.state": "asking" } },
  );
  if (!locked.locked) return;
  const { before } = locked;
  const { pendingEvents } = before;
  const key = { projectId, sessionId, executionId, run };
  const known = pendingEvents === undefined ? { first: 1, lines: [] } : pendingLines(pendingEvents);
  const first = await fenceEvents(context, key, known, pendingEvents && endOf(pendingEvents));
  if (first === undefined) throw new Error(`The run ${executionId}:${run} asks, and has its end.`);
  const command: ContinueCommand = {
    ...{ type: "continue", sessionId, executionId, results: [], isDecided: true },
    ...{ detached: true, reportsUsage, bytes: 0, stored },
  };
  const from = { run, first };
  const { events } = await beginLocked(context, { ...locked, lease }, command, executionId, asker, from);
  // Its readers follow the turn's log.
  events.abandon();
}
