import { monthOf } from "@muster/rpc";
import type { Logger } from "@muster/service";
import { addDecimals } from "@muster/service/money";
import { inBatches } from "@muster/store";
import type { InOrder } from "../store/in-order.ts";
import { accountId, type UsageAccount, type UsageRecord, type UsageTotals } from "../store/usage-document.ts";
import type { Sums, UsageScope, UsageStore } from "../store/usage-store.ts";
import { SessionMeter } from "./session-usage.ts";

const maxBatch = 500;
/** A loser has seen another one win, so only a broken store takes this long. */
const maxAttempts = 1_000;
/** So many records of an account are added to its totals at once: a sum that is read adds the last ones. */
const settleEvery = 200;

export type UsageLedger = ReturnType<typeof createUsageLedger>;

interface LedgerStores {
  store: UsageStore;
  /** The same records, added up for each subject. */
  subjects: UsageStore;
  /** The records of earlier releases: read, and never added to. Absent: there are none. */
  earlier?: UsageStore;
  inOrder: InOrder;
  log: Pick<Logger, "warn">;
  /** How long the records that need not be stored at once gather. */
  gatherMs: number;
}

/**
 * Records what model calls use, and adds it up by key, workforce agent and month. The records are the truth. Every record is in
 * the totals exactly once, whatever processes do at the same time and wherever they die:
 *
 * - A record is inserted as `pending`. Who adds it reads the totals first, then whether the record is `pending`, and
 *   stores
 *   the new totals, with the record's id in `counted`, only if no others were stored in between.
 * - `pending` is removed after that, and the id from `counted` only by a process that has seen that it was removed. So
 *   a process that read the totals without the id read them before the record was added, and cannot store them any
 *   more, or reads that the
 *   record is not `pending`.
 *
 * Records that are `pending` are added by the next process that reads the totals.
 */
export function createUsageLedger({ store, subjects, earlier, inOrder, log, gatherMs }: LedgerStores) {
  const current = accountsIn(store, inOrder, ownerOf);
  const unsettled = new Map<string, { account: UsageAccount; ids: string[] }>();

  const settleOften = async (record: UsageRecord): Promise<void> => {
    const account = ownerOf(record);
    const id = accountId(account);
    const known = unsettled.get(id) ?? { account, ids: [] };
    unsettled.set(id, known);
    if (known.ids.push(record._id) < settleEvery) return;
    unsettled.delete(id);
    await current.settle(known.account, known.ids);
  };

  let isFailing = false;
  let lastGathered: Promise<void> | undefined;
  const gathered = inBatches(
    async (records: UsageRecord[]) => {
      try {
        await store.insertAll(records);
        for (const record of records) await settleOften(record);
        isFailing = false;
      } catch (error) {
        if (!isFailing) log.warn({ err: error }, "usage records could not be stored and are lost");
        isFailing = true;
      }
    },
    { max: maxBatch, pauseMs: (waiting) => (waiting < maxBatch ? gatherMs : 0) },
  );
  const flush = async (): Promise<void> => {
    gathered.hurry();
    await lastGathered;
  };

  return {
    /** False: the same call was recorded before, and is not counted again. */
    add: async (record: UsageRecord): Promise<boolean> => {
      const isNew = await store.insert(record);
      if (isNew) await settleOften(record);
      return isNew;
    },

    /** For calls that no limit counts: shares its command with others, and is lost if the process dies meanwhile. Never fails. */
    addLater: (record: UsageRecord): void => {
      lastGathered = gathered.add(record);
    },

    /** The usage up to this moment. Its cost does not depend on the number of records. */
    sum: async (scope: UsageScope): Promise<Sums> => {
      await flush();
      if (scope.subject !== undefined) {
        await accountsIn(subjects, inOrder, subjectOf).settleAll(scope);
        return (await subjects.sums(scope)).reduce(plus, nothing);
      }
      await current.settleAll(scope);
      const sums = await store.sums(scope);
      // No earlier release recorded keys.
      if (earlier !== undefined && scope.keyId === undefined) {
        await accountsIn(earlier, inOrder, ownerOf).settleAll(scope);
        sums.push(...(await earlier.sums(scope)));
      }
      return sums.reduce(plus, nothing);
    },

    /** All records of a project between two times, the second exclusive. */
    between: async function* (projectId: string, from: Date, until: Date): AsyncGenerator<UsageRecord> {
      await flush();
      const months = monthsBetween(from, until);
      for (const each of earlier === undefined ? [store] : [earlier, store])
        yield* each.between(projectId, months, from, until);
    },

    /** The usage of a workforce session as its document contains it; undefined if nothing was used. Reads all of its records. */
    usageOf: async (session: { projectId: string; sessionId: string }): Promise<string | undefined> => {
      const meter = new SessionMeter(undefined);
      const stores = earlier === undefined ? [store] : [earlier, store];
      const records = await Promise.all(stores.map(({ ofSession }) => ofSession(session)));
      for (const { modelId, tokens, isEstimated, ...fees } of records.flat()) {
        const { providerFee, bandwidthFee, byok } = fees;
        if (!isEstimated) meter.addTokens(modelId, tokens, { providerFee, bandwidthFee, byok });
      }
      return meter.text;
    },

    /** Resolves when the gathered records are stored or lost. */
    close: flush,
  };
}

function monthsBetween(from: Date, until: Date): string[] {
  const months: string[] = [];
  for (const day = new Date(from); day < until; day.setUTCMonth(day.getUTCMonth() + 1, 1))
    months.push(monthOf(day.getTime()));
  return months;
}

const nothing: Sums = { totalFee: "0", tokens: 0 };

/** The account of a record for the limits of projects, keys and workforce agents. */
function ownerOf({ projectId, workforceAgentId, keyId, month }: UsageRecord): UsageAccount {
  return {
    projectId,
    ...(workforceAgentId !== undefined && { workforceAgentId }),
    ...(keyId !== undefined && { keyId }),
    month,
  };
}

/** The account of a record for the limit of its subject. There can be any number: they are added up only when one is read. */
function subjectOf({ projectId, subject = "", month }: UsageRecord): UsageAccount {
  return { projectId, subject, month };
}

/** Adds records to the totals of their accounts. */
function accountsIn(store: UsageStore, inOrder: InOrder, accountOf: typeof ownerOf) {
  const settleNow = async (account: UsageAccount, ids: readonly string[]): Promise<void> => {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const totals = await store.findTotals(account);
      const counted = new Set(totals?.counted);
      const pending = await store.pendingAmong(account.projectId, [...new Set([...ids, ...counted])]);
      const fresh = pending.filter(({ _id }) => !counted.has(_id));
      const all = pending.map(({ _id }) => _id);
      if (fresh.length === 0 || (await store.replaceTotals(added(account, totals, fresh, all)))) {
        if (all.length > 0) await store.settle(account.projectId, all);
        return;
      }
    }
    throw new Error(`The totals of ${accountId(account)} could not be stored`);
  };

  /** On one instance one after the other, because they would only be in each other's way. */
  const settle = (account: UsageAccount, ids: readonly string[]) =>
    inOrder(accountId(account), () => settleNow(account, ids));

  const settleAll = async (scope: UsageScope): Promise<void> => {
    while (true) {
      const pending = await store.findPending(scope, maxBatch);
      for (const [account, ids] of byAccount(pending, accountOf)) await settle(account, ids);
      if (pending.length < maxBatch) return;
    }
  };
  return { settle, settleAll };
}

function added(
  account: UsageAccount,
  before: UsageTotals | null,
  records: readonly UsageRecord[],
  counted: string[],
): UsageTotals {
  const { totalFee, tokens, rev } = before ?? { ...nothing, rev: 0 };
  const sums = records.map(sumsOf).reduce(plus, { totalFee, tokens });
  return { _id: accountId(account), ...account, rev: rev + 1, counted, ...sums };
}

/** The share of a record in the totals. */
export function sumsOf({
  providerFee,
  bandwidthFee,
  tokens: { input, output },
}: Pick<UsageRecord, "providerFee" | "bandwidthFee" | "tokens">): Sums {
  return { totalFee: addDecimals(providerFee, bandwidthFee), tokens: input + output };
}

export function plus(a: Sums, b: Sums): Sums {
  return { totalFee: addDecimals(a.totalFee, b.totalFee), tokens: a.tokens + b.tokens };
}

function byAccount(
  records: readonly UsageRecord[],
  accountOf: typeof ownerOf,
): Array<[UsageAccount, string[]]> {
  const accounts = new Map<string, [UsageAccount, string[]]>();
  for (const record of records) {
    const account = accountOf(record);
    const id = accountId(account);
    const known = accounts.get(id);
    if (known === undefined) accounts.set(id, [account, [record._id]]);
    else known[1].push(record._id);
  }
  return [...accounts.values()];
}
