import { sessionsPrincipal } from "@muster/rpc";
import type { Asker } from "../../agents/programs.ts";
import type { SessionsContext } from "../../context.ts";
import type { ApprovalDocument } from "../../store/approval-store.ts";
import { isExpired, type TurnOfSession } from "../../store/session-document.ts";
import { abandonedTurn, executionOf } from "../follow/abandoned-turn.ts";
import { adoptTurn } from "../trigger/adopt-turn.ts";
import { continueAsking } from "./continue-asking.ts";

/** Until its turn has ended, an approval that was decided is settled again so often. */
const againMs = 15_000;
/** A pending one is checked so often, in case a process died before it could close it. */
const pendingMs = 600_000;
/** A turn that asks is stored after its approvals; so long it may take. */
const storedWithinMs = 60_000;
/** An open call may be answered before that. */
const answeredWithinMs = 5_000;
const askMs = 5_000;

/**
 * Does what an approval requires now: it expires in time, its turn continues once the last approval of the step is decided, and
 * it is closed once its turn has moved on. Any instance may do so at any time, also several at once.
 */
export async function settleApproval(context: SessionsContext, found: ApprovalDocument): Promise<void> {
  const { approvals, clock } = context;
  const nowMs = clock.now();
  const now = new Date(nowMs);
  const isOverdue = found.status === "pending" && found.expiresAt.getTime() <= nowMs;
  if (isOverdue) await approvals.expire(found, now);
  const sessions = found.isHidden ? context.hidden : context;
  const session = await sessions.store.findTurn(found);
  const isPresent = session !== null && !isExpired(session, nowMs);
  if (!isPresent || turnOf(session) !== found.executionId) return close(context, found);
  if (!asksFor(session, found)) {
    const isPending = found.status === "pending";
    const { openCall } = found;
    const willAsk = openCall !== undefined && openCall.askedAt === undefined;
    const askedMs = (openCall?.askedAt ?? found.createdAt).getTime();
    const isStoring = nowMs - askedMs < (isPending ? storedWithinMs : answeredWithinMs);
    if (!willAsk && isStoring && session.lease !== null && (isPending || openCall !== undefined))
      return later(context, found, 1_000);
    // Its caller's tools come first.
    if (willAsk && session.lease === null) return later(context, found, pendingMs);
    if (!willAsk && (isPending || session.lease === null)) return close(context, found);
  } else {
    const open = (await approvals.ofTurn(found)).filter(
      (each) => each.status === "pending" && asksFor(session, each),
    );
    if (open.length > 0) {
      const first = Math.min(...open.map(({ expiresAt }) => expiresAt.getTime()));
      return later(context, found, Math.min(pendingMs, first - nowMs));
    }
    // The turn of a cancelled thread ends here.
    if (found.isHidden && found.status !== "cancelled") return wakeWorkforce(context, found);
    if (session.lease === null) {
      await continueAsking(sessions, session, platformAsker(context, found.projectId));
      return later(context, found, againMs);
    }
  }
  const abandoned = abandonedTurn(sessions, session, found.executionId);
  if (abandoned !== undefined && !found.isHidden)
    await adoptTurn(sessions, abandoned, platformAsker(context, found.projectId));
  return later(context, found, againMs);
}

/** A turn that continues without a caller asks the agents service itself. */
function platformAsker({ signer, newId }: SessionsContext, projectId: string): Asker {
  const principal = signer.sign(sessionsPrincipal(projectId));
  return { principal, requestId: newId("req"), timeoutMs: askMs };
}

function turnOf(session: TurnOfSession): string | undefined {
  return session.lease === null ? session.execution?.id : executionOf(session);
}

/** The stored pause waits for it. */
function asksFor({ execution }: TurnOfSession, { _id }: Pick<ApprovalDocument, "_id">): boolean {
  return execution?.state === "asking" && execution.asks?.approvalIds.includes(_id) === true;
}

async function close({ approvals }: SessionsContext, found: ApprovalDocument): Promise<void> {
  if (!(await approvals.cancel(found))) await approvals.close(found);
}

/** A later time than that of another instance does no harm: a decision sets an earlier one. */
async function later(
  { approvals, clock }: SessionsContext,
  found: ApprovalDocument,
  ms: number,
): Promise<void> {
  const current = await approvals.find(found);
  if (current?.wakeAt) await approvals.claim(current, new Date(clock.now() + Math.max(ms, 0)));
}

/** The workforce service continues its threads itself; if it misses the event, it finds the decision in time. */
async function wakeWorkforce(context: SessionsContext, found: ApprovalDocument): Promise<void> {
  const { projectId, agentId, threadId } = found;
  await context.approvals.settle(found);
  if (threadId === undefined) return;
  try {
    await context.bus.publish(
      "workforce.decided",
      { projectId, agentId, threadId },
      { id: `${found._id}-decided` },
    );
  } catch (error) {
    context.log.warn({ err: error, threadId }, "the workforce service could not be told of a decision");
  }
}
