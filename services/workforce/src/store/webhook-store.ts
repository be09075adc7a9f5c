import { type AuditEntry, auditIndex } from "@muster/events/audit";
import {
  atRevision,
  type CollectionIndexes,
  deletion,
  givenUp,
  type Lease,
  nextRevision,
  notHeld,
  unlessDuplicate,
} from "@muster/store";
import type { WebhookEventType } from "@muster/wire/webhook-events";
import type { Collection, Db, Filter, UpdateFilter } from "mongodb";
import type { WebhookDocument, WebhookKey, WebhookSecret } from "./webhook-document.ts";

export const webhookIndexes: CollectionIndexes = {
  collection: "webhooks",
  indexes: [
    { name: "by_project", key: { projectId: 1, _id: -1 } },
    {
      name: "slug",
      key: { projectId: 1, slug: 1 },
      unique: true,
      partialFilterExpression: { slug: { $exists: true } },
    },
    auditIndex,
    { name: "due", key: { dueAt: 1 }, partialFilterExpression: { dueAt: { $exists: true } } },
    {
      name: "expiry",
      key: { expiresAt: 1 },
      expireAfterSeconds: 0,
      partialFilterExpression: { expiresAt: { $exists: true } },
    },
  ],
};

/** Counts are for dashboards: beyond this, a larger number says nothing more. */
const maxCounted = 10_000;

/** The changes of an administrator. Absent fields stay unchanged; null removes one. */
export type WebhookChanges = Partial<Pick<WebhookDocument, "url" | "events" | "enabled" | "managed">> & {
  agentId?: string | null;
  description?: string | null;
};

/** The consequences of the attempts of one round. */
export interface Round {
  failures: number;
  failingSince: Date | null;
  /** Why it is paused. `disable`: it also receives no new events. */
  pausedReason?: string;
  disable?: boolean;
}

/** Whether the last attempt has failed. */
export type Pace = "steady" | "failing";

export type WebhookStore = ReturnType<typeof createWebhookStore>;

/** The only place that writes webhooks. Each write is harmless if it is repeated. */
export function createWebhookStore(db: Db) {
  const webhooks: Collection<WebhookDocument> = db.collection(webhookIndexes.collection);
  const inOrder = { returnDocument: "after" } as const;
  const shown = (projectId: string): Filter<WebhookDocument> => ({
    projectId,
    isCallback: { $exists: false },
    ...live,
  });
  const change = (key: WebhookKey, guard: Filter<WebhookDocument>, update: UpdateFilter<WebhookDocument>) =>
    webhooks.findOneAndUpdate({ ...idFilter(key), ...guard }, update, inOrder);

  return {
    /** False if it, or another one with its slug, exists. */
    insert: (webhook: WebhookDocument) => unlessDuplicate(webhooks.insertOne(webhook)),
    count: (projectId: string) => webhooks.countDocuments(shown(projectId)),
    /** Newest first, without callbacks. */
    list: (projectId: string) => webhooks.find(shown(projectId)).sort({ _id: -1 }).toArray(),
    /** Without callbacks. */
    find: ({ projectId, webhookId }: WebhookKey) => webhooks.findOne({ ...shown(projectId), _id: webhookId }),
    /** Those that receive an event of the agent. */
    subscribers: (projectId: string, type: WebhookEventType, agentId: string) =>
      webhooks
        .find({
          ...{ ...shown(projectId), enabled: true, events: type },
          $or: [{ agentId: { $exists: false } }, { agentId }],
        })
        .toArray(),
    /**
     * Null if there is none of the expected revisions. A round under way is not counted: it was of the earlier settings, such as an earlier URL that is
     * gone. The waiting deliveries are sent at once, also after a pause.
     */
    update: (
      key: WebhookKey,
      { agentId, description, ...set }: WebhookChanges,
      now: Date,
      entry: AuditEntry,
      expected: readonly number[] = [],
    ) => {
      const unset = [
        ...(agentId === null ? ["agentId"] : []),
        ...(description === null ? ["description"] : []),
        ...(set.enabled === true ? ["pausedReason", "failingSince"] : []),
      ];
      return change(
        key,
        { ...shown(key.projectId), ...atRevision(expected) },
        {
          $set: {
            ...{ ...set, updatedAt: now, lease: null },
            ...(agentId && { agentId }),
            ...(description && { description }),
            ...(set.enabled === true && { failures: 0 }),
          },
          $inc: { epoch: 1, ...nextRevision },
          $push: { audit: entry },
          // A process can have died between storing a delivery and marking its webhook, which has left the receivers since.
          $min: { dueAt: now },
          ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((name) => [name, ""])) }),
        },
      );
    },
    /** `earlier`: the secrets that were read. Null if they have changed since. */
    replaceSecrets: (
      key: WebhookKey,
      earlier: WebhookDocument,
      secrets: WebhookSecret[],
      now: Date,
      entry: AuditEntry,
    ) =>
      change(
        key,
        { "secrets.0.sealed.nonce": earlier.secrets[0]?.sealed.nonce },
        { $set: { secrets, updatedAt: now }, $push: { audit: entry } },
      ),
    /** False: as for `update`. It is gone for all readers. The rest of it carries the entry, until the audit log has it. */
    bury: async (
      { projectId, webhookId }: WebhookKey,
      entry: AuditEntry,
      expected: readonly number[] = [],
    ): Promise<boolean> => {
      const { matchedCount } = await webhooks.updateOne(
        { ...shown(projectId), _id: webhookId, ...atRevision(expected) },
        {
          $set: { tombstone: true, enabled: false, url: "", events: [], secrets: [], lease: null },
          $unset: { slug: "", description: "", dueAt: "" },
          $inc: { epoch: 1 },
          $push: { audit: entry },
        },
        deletion,
      );
      return matchedCount === 1;
    },
    /** Deliveries wait that can be sent by then. */
    becomeDue: async (projectId: string, ids: readonly string[], at: Date) => {
      await webhooks.updateMany(
        { _id: { $in: [...ids] }, projectId, ...live },
        { $min: { dueAt: at }, $inc: { rev: 1 } },
      );
    },
    /** It is removed then, unless it is used again before. */
    keepUntil: async (key: WebhookKey, expiresAt: Date) => {
      await webhooks.updateOne(idFilter(key), { $set: { expiresAt } });
    },
    /** Webhooks of any project with deliveries to send that no instance sends. Those that wait the longest first. */
    findDue: (
      now: Date,
      pace: Pace,
      except: { ids: readonly string[]; projectIds: readonly string[] },
      limit: number,
      onlyHolder?: string,
    ) =>
      webhooks
        .find({
          ...{ dueAt: { $lte: now }, enabled: true, pausedReason: { $exists: false } },
          ...{ _id: { $nin: [...except.ids] }, failures: pace === "steady" ? 0 : { $gt: 0 } },
          ...(except.projectIds.length > 0 && { projectId: { $nin: [...except.projectIds] } }),
          ...notHeld(now, onlyHolder),
        })
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray(),
    /** How many have deliveries to send, up to 10,000. */
    countDue: (now: Date): Promise<number> =>
      webhooks.countDocuments(
        { dueAt: { $lte: now }, enabled: true, pausedReason: { $exists: false } },
        { limit: maxCounted },
      ),
    /** Null if another instance has it, or nothing is to be sent. */
    take: (key: WebhookKey, lease: Lease, now: Date, onlyHolder?: string) =>
      change(
        key,
        { enabled: true, pausedReason: { $exists: false }, ...notHeld(now, onlyHolder) },
        { $set: { lease }, $inc: { epoch: 1 } },
      ),
    /** The lease is renewed. Null if another instance has it, or nothing is to be sent any longer. */
    noteRound: async ({ _id, projectId, epoch }: WebhookDocument, round: Round, until: Date) => {
      const { pausedReason, disable } = round;
      const { $set, ...rest } = outcomeOf(round);
      const noted = await change(
        { projectId, webhookId: _id },
        { epoch },
        {
          $set: {
            ...{ ...$set, "lease.until": pausedReason === undefined ? until : givenUp },
            ...(pausedReason !== undefined && { pausedReason }),
            ...(disable && { enabled: false }),
          },
          ...rest,
        },
      );
      return noted?.enabled && noted.pausedReason === undefined ? noted : null;
    },
    /** False if deliveries were added since the webhook was read, or another instance has it. */
    release: async (
      { _id, projectId, epoch, rev }: WebhookDocument,
      dueAt: Date | undefined,
      round: Round,
    ): Promise<boolean> => {
      const { $set, $unset } = outcomeOf(round);
      const { matchedCount } = await webhooks.updateOne(
        { _id, projectId, epoch, rev },
        {
          $set: { ...$set, lease: null, ...(dueAt && { dueAt }) },
          $unset: { ...$unset, ...(dueAt === undefined && { dueAt: "" as const }) },
        },
      );
      return matchedCount === 1;
    },
    /** Another instance may take it at once. */
    giveUp: async ({ _id, projectId, epoch }: WebhookDocument) => {
      await webhooks.updateOne({ _id, projectId, epoch }, { $set: { lease: null } });
    },
    read: (key: WebhookKey) => webhooks.findOne(idFilter(key)),
  };
}

function outcomeOf({ failures, failingSince }: Round) {
  return {
    $set: { failures, ...(failingSince && { failingSince }) },
    $unset: failingSince === null ? { failingSince: "" as const } : {},
  };
}

/** The condition that excludes deleted webhooks. */
const live = { tombstone: { $exists: false } } as const;

function idFilter({ projectId, webhookId }: WebhookKey): Filter<WebhookDocument> {
  return { _id: webhookId, projectId, ...live };
}
