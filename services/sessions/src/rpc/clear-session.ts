import { isWorkforce, requestIdOf } from "@muster/rpc";
import { isHeld } from "@muster/store";
import type { SessionsContext } from "../context.ts";
import { sweepAfter } from "../conversations/history/sweep.ts";
import { driverOf, found, keyFor, sessionsOf } from "../input/caller.ts";
import type { SessionKey } from "../store/moves.ts";
import { notifyHolder } from "../turns/abort/notify-holder.ts";
import type { Handler } from "./handler.ts";

export const clearSession: Handler<"clearSession"> = async (context, request, call) => {
  const caller = driverOf(call);
  const { store } = sessionsOf(context, caller);
  const key = keyFor(caller, request.sessionId);
  const nowMs = context.clock.now();
  const change = { projectId: key.projectId, target: key.sessionId };
  // A thread's session is removed with its agent, whose deletion has an entry.
  const entry = isWorkforce(caller) ? undefined : context.auditEntry(call, "session.clear", change);
  const before = await store.clear(key, new Date(nowMs), sweepAfter(nowMs), entry);
  if (before === null) found(key, await store.find(key));
  else if (before.lease !== null && isHeld(before.lease, nowMs, context.onlyHolder)) {
    const { runId } = before.lease;
    const target = { requestId: requestIdOf(call), sessionId: before._id, runId, epoch: before.epoch };
    await notifyHolder(context, target, "cleared");
  }
  if (before?.execution?.state === "asking")
    await context.approvals.cancelTurn({ ...key, executionId: before.execution.id });
  await removeFiles(context, key);
  return {};
};

/** A file that is uploaded later, with a URL issued before, is removed by a sweep. */
async function removeFiles(
  { fileDelivery: { sources }, log }: SessionsContext,
  { projectId, sessionId }: SessionKey,
): Promise<void> {
  try {
    await sources.files?.storage.removeOwner({ projectId, ownerId: sessionId });
  } catch (error) {
    log.warn({ err: error, sessionId }, "the files of a cleared session could not be removed; a sweep will");
  }
}
