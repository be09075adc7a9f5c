import { type CollectionIndexes, sharedInserts, unlessDuplicate } from "@muster/store";
import type { Collection, Db } from "mongodb";
import { accountId, type UsageAccount, type UsageRecord, type UsageTotals } from "./usage-document.ts";

/** Collections of records and totals. */
export interface UsageCollections {
  records: string;
  totals: string;
  /** The field of the records that the totals may lack. Default: `pending`. */
  flag?: "pendingSubject";
}

export const usageCollections: UsageCollections = { records: "usage", totals: "usage_totals" };
/** The same records, added up for each subject. */
export const subjectUsage: UsageCollections = {
  records: "usage",
  totals: "usage_totals_of_subjects",
  flag: "pendingSubject",
};
/**
 * The collections of earlier releases, which recorded workforce agents only. Nothing new is added to them: instances of an
 * earlier release would count sessions for the limits of workforce agents.
 */
export const earlierUsage: UsageCollections = {
  records: "workforce_usage",
  totals: "workforce_usage_totals",
};

/** Reports go back a year and a month. */
const keepRecordsS = 400 * 86_400;

const pending = {
  // Normally small, however many records there are.
  name: "pending",
  key: { projectId: 1, month: 1, workforceAgentId: 1 },
  partialFilterExpression: { pending: true },
} as const;

/** For reports. By month first: see "session". */
const byTime = { name: "by_time", key: { month: 1, projectId: 1, at: 1 } } as const;

export const usageIndexes: readonly CollectionIndexes[] = [
  {
    collection: usageCollections.records,
    indexes: [
      // Not by project first: that index would also fit the commands that name records by their ids.
      {
        name: "session",
        key: { sessionId: 1, projectId: 1 },
        partialFilterExpression: { workforceAgentId: { $exists: true } },
      },
      pending,
      {
        name: "pending_subject",
        key: { projectId: 1, month: 1, subject: 1 },
        partialFilterExpression: { pendingSubject: true },
      },
      byTime,
      { name: "expiry", key: { at: 1 }, expireAfterSeconds: keepRecordsS },
    ],
  },
  {
    collection: earlierUsage.records,
    indexes: [{ name: "session", key: { sessionId: 1, projectId: 1 } }, pending, byTime],
  },
  ...[usageCollections, earlierUsage].map(({ totals }) => ({
    collection: totals,
    indexes: [{ name: "by_month", key: { projectId: 1, month: 1 } }],
  })),
  {
    collection: subjectUsage.totals,
    indexes: [{ name: "by_subject", key: { projectId: 1, subject: 1, month: 1 } }],
  },
];

/** Whose use to read. */
export interface UsageScope {
  projectId: string;
  /** The use of one workforce agent, or of all of them. Absent: that of sessions and workers, too. */
  workforceAgentId?: string | { $exists: true };
  /** Absent: of all keys and of none. */
  keyId?: string;
  /** Absent: of all subjects and of none. */
  subject?: string;
  month: string;
}

export type Sums = Pick<UsageTotals, "totalFee" | "tokens">;

export type UsageStore = ReturnType<typeof createUsageStore>;

/** Each method is one command, and harmless if repeated. */
export function createUsageStore(db: Db, names: UsageCollections = usageCollections) {
  const records: Collection<UsageRecord> = db.collection(names.records);
  const totals: Collection<UsageTotals> = db.collection(names.totals);
  const { flag = "pending" } = names;

  return {
    /** False: the record exists. Calls that end at the same time share a command. */
    insert: sharedInserts(records, () => false),

    /** Records that exist stay unchanged. */
    insertAll: async (all: UsageRecord[]): Promise<void> => {
      await unlessDuplicate(records.insertMany(all, { ordered: false }));
    },

    /** Records of the scope that the totals may lack. */
    findPending: (scope: UsageScope, limit: number): Promise<UsageRecord[]> =>
      records
        .find({ ...scope, [flag]: true })
        .limit(limit)
        .toArray(),

    /** Finds which of these records the totals may lack. */
    pendingAmong: (projectId: string, ids: readonly string[]): Promise<UsageRecord[]> =>
      records.find({ _id: { $in: [...ids] }, projectId, [flag]: true }).toArray(),

    /** They are in the totals. */
    settle: async (projectId: string, ids: readonly string[]): Promise<void> => {
      await records.updateMany({ _id: { $in: [...ids] }, projectId }, { $unset: { [flag]: "" } });
    },

    findTotals: (account: UsageAccount): Promise<UsageTotals | null> =>
      totals.findOne({ _id: accountId(account), projectId: account.projectId }),

    /** Stores totals over those with the number before; with the number 1, where there were none. False: they have moved. */
    replaceTotals: async (next: UsageTotals): Promise<boolean> => {
      const { _id, projectId, rev } = next;
      if (rev === 1) return unlessDuplicate(totals.insertOne(next));
      const { matchedCount } = await totals.replaceOne({ _id, projectId, rev: rev - 1 }, next);
      return matchedCount === 1;
    },

    sums: (scope: UsageScope): Promise<Sums[]> =>
      totals.find<Sums>(scope, { projection: { _id: 0, totalFee: 1, tokens: 1 } }).toArray(),

    /** The records of a project between two times, the second exclusive. `months`: in which they are. */
    between: (
      projectId: string,
      months: readonly string[],
      from: Date,
      until: Date,
    ): AsyncIterable<UsageRecord> =>
      records
        .find({ month: { $in: [...months] }, projectId, at: { $gte: from, $lt: until } })
        .batchSize(1_000),

    /** The records of a session of a workforce thread. */
    ofSession: ({ projectId, sessionId }: { projectId: string; sessionId: string }): Promise<UsageRecord[]> =>
      records.find({ projectId, sessionId, workforceAgentId: { $exists: true } }).toArray(),
  };
}
