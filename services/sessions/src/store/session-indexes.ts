import { noticeIndex } from "@muster/events";
import { auditIndex } from "@muster/events/audit";
import type { CollectionIndexes } from "@muster/store";

export const collectionName = "sessions";

export const sessionIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [
    { name: "active_by_expiry", key: { expiresAt: 1 }, partialFilterExpression: { status: "active" } },
    {
      name: "expired_with_state",
      key: { updatedAt: 1 },
      partialFilterExpression: { status: "expired", tail: { $type: "string" } },
    },
    // For lists. The keys of `metadata`, the subject and the agent precede the time, so that no list reads other sessions'
    // documents.
    { name: "by_activity", key: { projectId: 1, updatedAt: -1, _id: -1 } },
    { name: "by_agent_activity", key: { projectId: 1, agentId: 1, updatedAt: -1, _id: -1 } },
    {
      name: "by_metadata_activity",
      key: { projectId: 1, metadata: 1, updatedAt: -1, _id: -1 },
      partialFilterExpression: { metadata: { $exists: true } },
    },
    {
      name: "by_subject_activity",
      key: { projectId: 1, subject: 1, updatedAt: -1, _id: -1 },
      partialFilterExpression: { subject: { $exists: true } },
    },
    noticeIndex,
    auditIndex,
    { name: "sweep_due", key: { sweepAt: 1 }, partialFilterExpression: { sweepAt: { $exists: true } } },
  ],
};
