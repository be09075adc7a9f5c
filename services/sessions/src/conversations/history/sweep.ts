import type { ChunkStore } from "../../store/chunk-store.ts";
import type { SessionStore } from "../../store/session-store.ts";
import type { Sweepable } from "../../store/session-sweeps.ts";

/** Readers use the head with which they began for less than this, and a writer publishes its chunks earlier. */
const keepMs = 3_600_000;

/** When chunks may be deleted that a change at this time removes from the head. */
export function sweepAfter(nowMs: number): Date {
  return new Date(nowMs + keepMs);
}

/** Deletes the chunks that the head of a session no longer names. */
export async function sweepChunks(
  { chunks, store }: { chunks: Pick<ChunkStore, "deleteUnnamed">; store: Pick<SessionStore, "endSweep"> },
  session: Sweepable,
  nowMs: number,
): Promise<void> {
  const key = { sessionId: session._id, projectId: session.projectId };
  const isDone = await chunks.deleteUnnamed(key, session.head ?? [], new Date(nowMs - keepMs));
  await store.endSweep(session, isDone ? null : sweepAfter(nowMs));
}
