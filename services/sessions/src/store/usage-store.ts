import { type CollectionIndexes, unlessDuplicate } from "@muster/store";
import type { Collection, Db } from "mongodb";
import { accountId, type UsageAccount, type UsageRecord, type UsageTotals } from "./usage-document.ts";

const recordsName = "workforce_usage";
const totalsName = "workforce_usage_totals";

export const usageIndexes: CollectionIndexes = {
  collection: recordsName,
  indexes: [
    // Not by project first: that index would also fit the commands that name records by their ids.
    { name: "session", key: { sessionId: 1, projectId: 1 } },
    // Normally empty, however many records there are.
    {
      name: "pending",
      key: { projectId: 1, month: 1, workforceAgentId: 1 },
      partialFilterExpression: { pending: true },
    },
  ],
};

export const usageTotalsIndexes: CollectionIndexes = {
  collection: totalsName,
  indexes: [{ name: "by_month", key: { projectId: 1, month: 1 } }],
};

/** Whose use to read. */
export interface UsageScope {
  projectId: string;
  /** Absent: all of the project. */
  workforceAgentId?: string;
  month: string;
}

export type Sums = Pick<UsageTotals, "totalFee" | "tokens">;

export type UsageStore = ReturnType<typeof createUsageStore>;

/** Each method is one command, and harmless if repeated. */
export function createUsageStore(db: Db) {
  const records: Collection<UsageRecord> = db.collection(recordsName);
  const totals: Collection<UsageTotals> = db.collection(totalsName);

  return {
    /** False: the record exists. */
    insert: (record: UsageRecord): Promise<boolean> => unlessDuplicate(records.insertOne(record)),

    /** Records of the scope that are `pending`. */
    findPending: (scope: UsageScope, limit: number): Promise<UsageRecord[]> =>
      records
        .find({ ...scope, pending: true })
        .limit(limit)
        .toArray(),

    /** The `pending` ones of these records. */
    pendingAmong: (projectId: string, ids: readonly string[]): Promise<UsageRecord[]> =>
      records.find({ _id: { $in: [...ids] }, projectId, pending: true }).toArray(),

    /** They are in the totals. */
    settle: async (projectId: string, ids: readonly string[]): Promise<void> => {
      await records.updateMany({ _id: { $in: [...ids] }, projectId }, { $unset: { pending: "" } });
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
      totals.find(scope).project<Sums>({ _id: 0, totalFee: 1, tokens: 1 }).toArray(),

    ofSession: ({ projectId, sessionId }: { projectId: string; sessionId: string }): Promise<UsageRecord[]> =>
      records.find({ projectId, sessionId }).toArray(),
  };
}
