import type { SessionCollection, SessionDocument } from "./session-document.ts";

const listedFields = {
  projectId: 1,
  agentId: 1,
  status: 1,
  metadata: 1,
  subject: 1,
  title: 1,
  messageCount: 1,
  createdAt: 1,
  updatedAt: 1,
  expiresAt: 1,
} as const;

/** The fields of a session that lists need. */
export type ListedSession = Pick<SessionDocument, "_id" | keyof typeof listedFields>;

/** The place of a session in lists: the latest change is first. */
export type Place = Pick<SessionDocument, "_id" | "updatedAt">;

/** The sessions that one index finds: those with an entry of metadata, else those of a subject, else of an agent, else all. */
export interface ListScope {
  projectId: string;
  agentId?: string | undefined;
  subject?: string | undefined;
  /** See `metadata.ts`. */
  entry?: string | undefined;
}

/** Lists of the sessions of a project. */
export function sessionLists(sessions: SessionCollection) {
  const listQuery = (
    { projectId, agentId, subject, entry }: ListScope,
    after: Place | undefined,
    limit: number,
  ) => {
    const owner = subject === undefined ? agentId !== undefined && { agentId } : { subject };
    const indexed = entry === undefined ? owner : { metadata: entry };
    return sessions
      .find({
        projectId,
        ...indexed,
        ...(after && {
          updatedAt: { $lte: after.updatedAt },
          $or: [{ updatedAt: { $lt: after.updatedAt } }, { _id: { $lt: after._id } }],
        }),
      })
      .project<ListedSession>(listedFields)
      .sort({ updatedAt: -1, _id: -1 })
      .limit(limit);
  };

  return {
    /** The next sessions of a list, in its order. One command, which reads no other sessions than it returns. */
    list: (scope: ListScope, after: Place | undefined, limit: number): Promise<ListedSession[]> =>
      listQuery(scope, after, limit).toArray(),

    listQuery,
  };
}
