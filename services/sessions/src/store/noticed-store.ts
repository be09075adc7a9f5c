import { type NoticeFields, noticeIndex, outboxAgeS } from "@muster/events";
import type { Clock } from "@muster/service";
import { deletion } from "@muster/store";
import type { Collection, Db } from "mongodb";
import { type ApprovalDocument, approvalIndexes } from "./approval-store.ts";
import { type LimitNoticeDocument, limitNoticeIndexes } from "./limit-notice-store.ts";
import type { SessionDocument } from "./session-document.ts";
import { sessionIndexes } from "./session-indexes.ts";
import { trusted } from "./state-text.ts";

const waiting = noticeIndex.partialFilterExpression;

type NoticedApproval = Pick<
  ApprovalDocument,
  "_id" | "projectId" | "agentId" | "sessionId" | "threadId" | "isHidden" | "toolName"
>;
type NoticedSession = Pick<SessionDocument, "_id" | "projectId" | "agentId">;

/** A document with events, and the ids that receivers get. */
export interface Noticed extends Required<NoticeFields> {
  _id: string;
  projectId: string;
  agentId: string;
  ids: Record<string, string>;
}

export type NoticedStore = ReturnType<typeof createNoticedStore>;

/** The outboxes of approvals, sessions and crossed limits. */
export function createNoticedStore(db: Db) {
  const approvals: Collection<ApprovalDocument> = db.collection(approvalIndexes.collection, trusted);
  const sessions: Collection<SessionDocument> = db.collection(sessionIndexes.collection, trusted);
  const limits: Collection<LimitNoticeDocument> = db.collection(limitNoticeIndexes.collection);
  const fields = { projectId: 1, agentId: 1, outbox: 1, published: 1 } as const;
  return {
    /** Up to `limit` of each kind. */
    list: async (limit: number): Promise<Noticed[]> => {
      const more = { sessionId: 1, threadId: 1, isHidden: 1, toolName: 1 } as const;
      const [asked, expired, crossed] = await Promise.all([
        approvals
          .find(waiting)
          .project<NoticedApproval & NoticeFields>({ ...fields, ...more })
          .limit(limit)
          .toArray(),
        sessions.find(waiting).project<NoticedSession & NoticeFields>(fields).limit(limit).toArray(),
        limits.find(waiting).limit(limit).toArray(),
      ]);
      return [
        ...asked.map((approval) => ({ ...noticed(approval), ids: idsOf(approval) })),
        ...expired.map((session) => ({ ...noticed(session), ids: { sessionId: session._id } })),
        ...crossed.map(({ limit, ownerId = "", ...crossing }) => ({
          ...noticed({ ...crossing, agentId: limit === "agent" ? ownerId : "" }),
          ids: limit === "key" ? { keyId: ownerId } : limit === "subject" ? { subject: ownerId } : {},
        })),
      ];
    },
    /** How long the oldest event of a kind has waited, in seconds; 0 if none waits. */
    ageS: (kind: "approvals" | "sessions" | "limits", clock: Clock): Promise<number> =>
      outboxAgeS({ approvals, sessions, limits }[kind], clock),
    /** Harmless if repeated. */
    drop: async (documentId: string, projectId: string, noticeId: string): Promise<void> => {
      const filter = { _id: documentId, projectId, "outbox.id": noticeId };
      const update = { $pull: { outbox: { id: noticeId } }, $inc: { published: 1 } };
      if (documentId.startsWith("apr_")) await approvals.updateOne(filter, update, deletion);
      else if (documentId.startsWith("lim_")) await limits.updateOne(filter, update, deletion);
      else await sessions.updateOne(filter, update, deletion);
    },
  };
}

function noticed(found: NoticedSession & NoticeFields) {
  const { _id, projectId, agentId, outbox = [], published = 0 } = found;
  return { _id, projectId, agentId, outbox, published };
}

/** The session of a thread is hidden. */
function idsOf({ _id, sessionId, threadId, isHidden, toolName }: NoticedApproval): Record<string, string> {
  return {
    approvalId: _id,
    ...(!isHidden && { sessionId }),
    ...(threadId !== undefined && { threadId }),
    toolName,
  };
}
