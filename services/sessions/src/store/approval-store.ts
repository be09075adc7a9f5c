import { createNotices, type NoticeFields, type Notices, noticeIndex } from "@muster/events";
import { type AuditEntry, type AuditFields, auditIndex } from "@muster/events/audit";
import { createIds, systemClock } from "@muster/service";
import { type CollectionIndexes, change, isDuplicateKey, transitionsOf } from "@muster/store";
import type { Collection, Db, Filter } from "mongodb";
import { trusted } from "./state-text.ts";

const collectionName = "approvals";

/** How long an approval is kept after it can no longer be decided. */
export const keepApprovalMs = 90 * 24 * 3_600_000;

/** `cancelled`: its turn continued, or ended, without it. */
export const approvalStatuses = ["pending", "approved", "denied", "expired", "cancelled"] as const;
/** `answered`: only of an open call. */
export type ApprovalStatus = (typeof approvalStatuses)[number] | "answered";

const table = {
  pending: ["approved", "denied", "answered", "expired", "cancelled"],
  approved: [],
  denied: [],
  answered: [],
  expired: [],
  cancelled: [],
} as const;

/**
 * A tool call that waits for a user's decision, or waited; or an open one, which waits for its service. Its decision is one write,
 * from which everything else follows: the turn continues with the decisions of all calls that it waits for.
 */
export interface ApprovalDocument extends NoticeFields, AuditFields {
  /** `apr_…`; of an open call, `call_…`. */
  _id: string;
  /**
   * Only of an open call, which is in no inbox. The secret of `host` signs its answer. `askedAt`: its turn waits for it since
   * then; absent: the turn has other work before.
   */
  openCall?: { host: string; askedAt?: Date };
  /** JSON of the outcome that the service sent, until the turn has it. */
  answer?: string;
  /** SHA-256 of the answer with sorted keys. */
  answerHash?: string;
  projectId: string;
  /** `agt_…`: the workforce agent of a thread, the agent of any other session. */
  agentId: string;
  /** The version of the definition. */
  agentVersion: number;
  sessionId: string;
  executionId: string;
  /** Its session is that of a workforce thread. */
  isHidden?: true;
  /** Only of such a session. Absent if an earlier release has opened it. */
  threadId?: string;
  toolCallId: string;
  toolName: string;
  /** JSON. */
  args: string;
  /** SHA-256 of the arguments with sorted keys. */
  argumentsHash: string;
  title?: string;
  /** JSON Schema that edited arguments must match. Absent: not known. */
  inputSchema?: string;
  /** JSON of the sender of the turn. */
  sender?: string;
  status: ApprovalStatus;
  createdAt: Date;
  expiresAt: Date;
  decidedAt?: Date;
  /** The principal. */
  decidedBy?: string;
  message?: string;
  /** JSON of the arguments that were approved instead. */
  editedArgs?: string;
  /** When an instance checks whether the turn has to continue, or has moved on. Null: it has. */
  wakeAt: Date | null;
  /** When the store removes it. */
  keptUntil: Date;
}

export const approvalIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [
    // For lists, in the order of ids, which is that of time.
    { name: "by_project", key: { projectId: 1, _id: -1 } },
    { name: "by_status", key: { projectId: 1, status: 1, _id: -1 } },
    { name: "by_agent", key: { projectId: 1, agentId: 1, _id: -1 } },
    { name: "by_session", key: { projectId: 1, sessionId: 1, _id: -1 } },
    {
      name: "by_thread",
      key: { projectId: 1, threadId: 1, _id: -1 },
      partialFilterExpression: { threadId: { $exists: true } },
    },
    { name: "due", key: { wakeAt: 1 }, partialFilterExpression: { wakeAt: { $type: "date" } } },
    noticeIndex,
    auditIndex,
    { name: "expiry", key: { keptUntil: 1 }, expireAfterSeconds: 0 },
  ],
};

export interface UserDecision extends Pick<ApprovalDocument, "decidedBy" | "message" | "editedArgs"> {
  status: "approved" | "denied";
  decidedAt: Date;
}

export interface ServiceAnswer extends Required<Pick<ApprovalDocument, "answer" | "answerHash">> {
  decidedAt: Date;
}

export interface ApprovalFilter
  extends Partial<Pick<ApprovalDocument, "status" | "agentId" | "sessionId" | "threadId">> {
  projectId: string;
  ids?: readonly string[];
}

export type ApprovalStore = ReturnType<typeof createApprovalStore>;
type Named = Pick<ApprovalDocument, "_id" | "projectId">;
type OfTurn = Pick<ApprovalDocument, "projectId" | "sessionId" | "executionId">;

/** `notices`: those of approvals that are opened, decided and expired. */
export function createApprovalStore(
  db: Db,
  notices: Notices = createNotices({ newId: createIds(), clock: systemClock }),
) {
  const approvals: Collection<ApprovalDocument> = db.collection(collectionName, trusted);
  const to = transitionsOf<ApprovalDocument, typeof table>();
  const move = async ({ _id, projectId }: Named, transition: ReturnType<typeof to>): Promise<boolean> => {
    const isChanged = await change(approvals, { _id, projectId }, transition);
    if (isChanged && transition.push) notices.wake(projectId);
    return isChanged;
  };

  return {
    collection: approvals,
    /** Safe to repeat. */
    insert: async (documents: readonly ApprovalDocument[]): Promise<void> => {
      const requested = documents.map((document) => ({
        ...document,
        ...(document.openCall === undefined && {
          outbox: [notices.create({ type: "approval.requested", data: { status: "pending" } })],
        }),
      }));
      await approvals.insertMany(requested, { ordered: false }).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });
      for (const projectId of new Set(documents.map((document) => document.projectId)))
        notices.wake(projectId);
    },

    find: ({ _id, projectId }: Named): Promise<ApprovalDocument | null> =>
      approvals.findOne({ _id, projectId }),

    /** All approvals of a turn, also those of its earlier pauses. */
    ofTurn: ({ projectId, sessionId, executionId }: OfTurn): Promise<ApprovalDocument[]> =>
      approvals.find({ projectId, sessionId, executionId }).toArray(),

    /** A page, the newest first. Open calls only by their ids. */
    list: (
      { projectId, ids, ...rest }: ApprovalFilter,
      before: string | undefined,
      limit: number,
    ): Promise<ApprovalDocument[]> => {
      const filter: Filter<ApprovalDocument> = {
        ...{ projectId, ...rest },
        ...(ids === undefined && { openCall: { $exists: false } }),
        ...((ids !== undefined || before !== undefined) && {
          _id: { ...(ids !== undefined && { $in: [...ids] }), ...(before !== undefined && { $lt: before }) },
        }),
      };
      return approvals.find(filter).sort({ _id: -1 }).limit(limit).toArray();
    },

    /** False: another decision came first. The same write makes the turn due. */
    decide: (named: Named, { status, ...decision }: UserDecision, entry: AuditEntry): Promise<boolean> =>
      move(
        named,
        to(status, ["pending"], {
          set: { ...decision, wakeAt: decision.decidedAt },
          push: {
            outbox: notices.create({ type: "approval.decided", data: { status } }),
            audit: entry,
          },
        }),
      ),

    /** False: another answer came first. The same write makes the turn due. */
    answer: (named: Named, answer: ServiceAnswer): Promise<boolean> =>
      move(named, to("answered", ["pending"], { set: { ...answer, wakeAt: answer.decidedAt } })),

    /** The turn waits for its open calls from now on: those that were answered before are to be settled. */
    wakeOpen: async ({ projectId, sessionId, executionId }: OfTurn, now: Date): Promise<void> => {
      const turn = { projectId, sessionId, executionId };
      await approvals.updateMany(
        { ...turn, openCall: { $exists: true }, "openCall.askedAt": { $exists: false } },
        { $set: { wakeAt: now, "openCall.askedAt": now } },
      );
    },

    expire: (named: Named, now: Date): Promise<boolean> =>
      move(
        named,
        to("expired", ["pending"], {
          set: { wakeAt: now },
          // Webhooks learn nothing of open calls.
          ...(named._id.startsWith("apr_") && {
            push: { outbox: notices.create({ type: "approval.expired", data: { status: "expired" } }) },
          }),
        }),
      ),

    /** The turn has moved on without it. */
    cancel: (named: Named): Promise<boolean> =>
      move(named, to("cancelled", ["pending"], { set: { wakeAt: null } })),

    /** Closes what a turn asks. `now`: the turn is still to be ended. Absent: it has moved on. */
    cancelTurn: async ({ projectId, sessionId, executionId }: OfTurn, now?: Date): Promise<void> => {
      const pending = { projectId, sessionId, executionId, status: "pending" as const };
      await approvals.updateMany(pending, { $set: { status: "cancelled", wakeAt: now ?? null } });
    },

    /** Nothing is left to do here. */
    settle: async ({ _id, projectId }: Named): Promise<void> => {
      await approvals.updateOne({ _id, projectId }, { $set: { wakeAt: null } });
    },

    /** The turn has moved on, with the answer if there is one. */
    close: async ({ _id, projectId }: Named): Promise<void> => {
      await approvals.updateOne({ _id, projectId }, { $set: { wakeAt: null }, $unset: { answer: "" } });
    },

    /** Approvals of all projects but some that are to be settled. */
    findDue: (now: Date, limit: number, exceptProjects: readonly string[]): Promise<ApprovalDocument[]> =>
      approvals
        .find({ wakeAt: { $lte: now }, projectId: { $nin: [...exceptProjects] } })
        .sort({ wakeAt: 1 })
        .limit(limit)
        .toArray(),

    /** One instance settles it now, another one may from `next` on. False: another instance has been faster. */
    claim: (
      { _id, projectId, wakeAt }: Named & Pick<ApprovalDocument, "wakeAt">,
      next: Date,
    ): Promise<boolean> => change(approvals, { _id, projectId, wakeAt }, { set: { wakeAt: next } }),
  };
}
