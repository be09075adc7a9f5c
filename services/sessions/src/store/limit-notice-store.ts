import { hash } from "node:crypto";
import { type NoticeFields, type Notices, noticeIndex } from "@muster/events";
import { type CollectionIndexes, unlessDuplicate } from "@muster/store";
import type { Collection, Db } from "mongodb";

export const limitNoticeIndexes: CollectionIndexes = {
  collection: "limit_notices",
  indexes: [noticeIndex, { name: "expiry", key: { keptUntil: 1 }, expireAfterSeconds: 0 }],
};

/** Longer than the month that it is about. */
const keepMs = 62 * 24 * 3_600_000;

/** A share of a monthly limit that is used: 80 or 100 percent. */
export interface Crossing {
  projectId: string;
  /** Whose limit it is. `workforce`: that of all workforce agents of the project. */
  limit: "project" | "key" | "subject" | "agent" | "workforce";
  /** The key, the subject, or the workforce agent. Absent: the limit is the project's. */
  ownerId?: string;
  /** Such as `2026-11`. */
  month: string;
  percent: 80 | 100;
  /** One that was raised can be crossed again. */
  bounds: { monthlyUsd?: string | undefined; monthlyTokens?: number | undefined };
}

/** A crossing, of which webhooks learn once. */
export interface LimitNoticeDocument extends NoticeFields {
  /** It follows from the crossing, so that several instances that notice it store it once. */
  _id: string;
  projectId: string;
  limit: Crossing["limit"];
  ownerId?: string;
  keptUntil: Date;
}

export function createLimitNoticeStore(db: Db, notices: Notices) {
  const crossings: Collection<LimitNoticeDocument> = db.collection(limitNoticeIndexes.collection);
  return {
    /** Does nothing if it is known. */
    insert: async (
      { projectId, limit, ownerId, month, percent, bounds }: Crossing,
      now: Date,
    ): Promise<void> => {
      const { monthlyUsd, monthlyTokens } = bounds;
      const key = [projectId, limit, ownerId, month, percent, monthlyUsd, monthlyTokens].join(" ");
      const type = percent === 100 ? "limit.reached" : "limit.warning";
      const inserted = await unlessDuplicate(
        crossings.insertOne({
          ...{ _id: `lim_${hash("sha256", key).slice(0, 32)}`, projectId, limit },
          ...(ownerId !== undefined && { ownerId }),
          keptUntil: new Date(now.getTime() + keepMs),
          outbox: [notices.create({ type, data: { limit, month } })],
        }),
      );
      if (inserted) notices.wake(projectId);
    },
  };
}
