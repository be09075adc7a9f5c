import { endOf } from "@muster/store/event-log";
import { phaseOf, type SessionPhase } from "../../store/moves.ts";
import type { TurnOfSession } from "../../store/session-document.ts";
import { executionOf, runOfLease } from "./abandoned-turn.ts";

/** A turn that has not ended. */
export interface CurrentTurn {
  executionId: string;
  phase: Exclude<SessionPhase, "idle" | "expired">;
  /** The last event of its latest run whose outcome the session's document contains. 0: of none. */
  afterSequence: number;
}

/** The turn of the session that is running, whose process has died, or that waits. */
export function currentTurn(
  session: TurnOfSession,
  nowMs: number,
  onlyHolder: string | undefined,
): CurrentTurn | undefined {
  const phase = phaseOf(session, nowMs, onlyHolder);
  if (phase === "idle" || phase === "expired") return undefined;
  const { execution, lease, pendingEvents } = session;
  const executionId = executionOf(session) ?? execution?.id;
  if (executionId === undefined) return undefined;
  const isStored =
    pendingEvents?.executionId === executionId &&
    (lease === null || pendingEvents.run === runOfLease(session, executionId).run);
  return { executionId, phase, afterSequence: isStored ? endOf(pendingEvents) : 0 };
}
