import type { Filter } from "mongodb";
import type { SessionKey } from "./moves.ts";
import type { SessionCollection, SessionDocument } from "./session-document.ts";

export interface Sweepable extends Pick<SessionDocument, "_id" | "projectId" | "status" | "head"> {
  sweepAt: Date;
}

/** Removals by time, of the sessions of all projects. */
export function sessionSweeps(sessions: SessionCollection) {
  const keysOf = (filter: Filter<SessionDocument>, limit: number): Promise<SessionKey[]> =>
    sessions
      .find(filter)
      .project<{ _id: string; projectId: string }>({ projectId: 1 })
      .limit(limit)
      .map(({ _id, projectId }) => ({ sessionId: _id, projectId }))
      .toArray();

  return {
    /** Sessions of all projects that have timed out, `except` those with these ids. */
    findTimedOut: (now: Date, limit: number, except: readonly string[]): Promise<SessionKey[]> =>
      keysOf({ status: "active", expiresAt: { $lte: now }, _id: { $nin: [...except] } }, limit),

    /** Sessions of all projects that an earlier release has expired, which does not know all fields of their state. */
    findPartlyStripped: (now: Date, limit: number, except: readonly string[]): Promise<SessionKey[]> =>
      keysOf(
        {
          status: "expired",
          tail: { $type: "string" },
          updatedAt: { $lte: now },
          _id: { $nin: [...except] },
        },
        limit,
      ),

    /** Sessions of all projects with chunks that may be deleted now, `except` those with these ids. */
    findSweepable: (now: Date, limit: number, except: readonly string[]): Promise<Sweepable[]> =>
      sessions
        .find({ sweepAt: { $lte: now }, _id: { $nin: except } })
        .project<Sweepable>({ projectId: 1, status: 1, head: 1, sweepAt: 1 })
        .limit(limit)
        .toArray(),

    /** Has the session's chunks swept at this time, although nothing of the session has changed. */
    requestSweep: async ({ projectId, sessionId }: SessionKey, sweepAt: Date): Promise<void> => {
      await sessions.updateOne({ _id: sessionId, projectId }, { $set: { sweepAt } });
    },

    /** Notes that a sweep has ended. `nextAt`: some chunks must stay until then. A later request for a sweep remains. */
    endSweep: async ({ _id, projectId, sweepAt }: Sweepable, nextAt: Date | null): Promise<void> => {
      const update = nextAt === null ? { $unset: { sweepAt: "" } as const } : { $set: { sweepAt: nextAt } };
      await sessions.updateOne({ _id, projectId, sweepAt }, update);
    },
  };
}
