import type { SessionsContext } from "../../context.ts";
import { type Held, phaseOf } from "../../store/moves.ts";
import type { StoredCommand, TurnOfSession } from "../../store/session-document.ts";
import type { RunKey } from "../../store/turn-events.ts";

/**
 * A step that has killed so many processes would kill the next one too: who adopts the turn then ends it with an error.
 * If even that kills a process, the turn is not adopted.
 */
export const maxAdoptions = 3;

/** A turn whose process died or stopped before its end. */
export interface AbandonedTurn {
  run: RunKey;
  /** That process's right to write. */
  from: Held & { isHandedOver?: boolean };
  /** Begins the turn again. Absent: the turn continues from its frame. */
  command?: StoredCommand;
}

/**
 * Undefined if the session is not in the middle of this execution, its process lives, or no process can continue it.
 * `opening`: the input that opened the session, or the repeated call of the workforce service, if the reader has it; a
 * lease does not contain one that is too large.
 */
export function abandonedTurn(
  {
    clock,
    onlyHolder,
    executions,
  }: Pick<SessionsContext, "clock" | "onlyHolder"> & {
    executions: Pick<SessionsContext["executions"], "find">;
  },
  session: TurnOfSession,
  executionId: string,
  opening?: StoredCommand,
): AbandonedTurn | undefined {
  const { _id: sessionId, projectId, lease, epoch } = session;
  if (lease === null || phaseOf(session, clock.now(), onlyHolder) !== "abandoned") return undefined;
  if (executionOf(session) !== executionId) return undefined;
  const command = commandOf(session, opening);
  if (!canContinue(session, command)) return undefined;
  // A process that was suspended may be late with the renewal of its own leases.
  if (executions.find(lease.runId) !== undefined) return undefined;
  const isHandedOver = lease.handedOver !== undefined;
  const from = { projectId, sessionId, epoch, runId: lease.runId, isHandedOver };
  return { run: runOfLease(session, executionId), from, ...(command !== undefined && { command }) };
}

function commandOf(
  { lease, workforce }: TurnOfSession,
  opening: StoredCommand | undefined,
): StoredCommand | undefined {
  if (lease?.beginning === undefined) return undefined;
  const { command, opensSession } = lease.beginning;
  return command ?? (opensSession || workforce !== undefined ? opening : undefined);
}

/** The execution of the lease. */
export function executionOf({ lease, execution }: TurnOfSession): string | undefined {
  return lease === null ? undefined : (lease.executionId ?? execution?.id);
}

/** The turn of the lease. */
export function runOfLease({ _id, projectId, lease, epoch }: TurnOfSession, executionId: string): RunKey {
  return { projectId, sessionId: _id, executionId, run: lease?.run ?? epoch };
}

/** Only turns of sessions that this release began are stored with all that is needed. */
function canContinue({ lease, execution }: TurnOfSession, command: StoredCommand | undefined): boolean {
  if (lease?.options === undefined || (lease.adoptions ?? 0) > maxAdoptions) return false;
  if (lease.beginning !== undefined) return command !== undefined;
  return execution?.state === "running" && execution.id === (lease.executionId ?? execution.id);
}
