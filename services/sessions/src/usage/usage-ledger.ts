import { addDecimals } from "@muster/service/money";
import type { InOrder } from "../store/in-order.ts";
import { accountId, type UsageAccount, type UsageRecord, type UsageTotals } from "../store/usage-document.ts";
import type { Sums, UsageScope, UsageStore } from "../store/usage-store.ts";
import { SessionMeter } from "./session-usage.ts";

const maxBatch = 500;
/** A loser has seen another one win, so only a broken store takes this long. */
const maxAttempts = 1_000;

export type UsageLedger = ReturnType<typeof createUsageLedger>;

/**
 * Records what workforce agents use, and adds it up by agent and month. The records are the truth. Every record is in the
 * totals exactly once, whatever processes do at the same time and wherever they die:
 *
 * - A record is inserted as `pending`. Who adds it reads the totals first, then whether the record is `pending`, and
 *   stores
 *   the new totals, with the record's id in `counted`, only if no others were stored in between.
 * - `pending` is removed after that, and the id from `counted` only by a process that has seen that it was removed. So
 *   a process that read the totals without the id read them before the record was added, and cannot store them any
 *   more, or reads that the
 *   record is not `pending`.
 *
 * A record that a dead process left `pending` is added by the next one that reads the totals.
 */
export function createUsageLedger(store: UsageStore, inOrder: InOrder) {
  const settle = async (account: UsageAccount, ids: readonly string[]): Promise<void> => {
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
  const settleInOrder = (account: UsageAccount, ids: readonly string[]) =>
    inOrder(accountId(account), () => settle(account, ids));

  const settleAll = async (scope: UsageScope): Promise<void> => {
    while (true) {
      const pending = await store.findPending(scope, maxBatch);
      for (const [account, ids] of byAccount(pending)) await settleInOrder(account, ids);
      if (pending.length < maxBatch) return;
    }
  };

  return {
    /** False: the same call was recorded before, and is not counted again. */
    add: async (record: UsageRecord): Promise<boolean> => {
      const isNew = await store.insert(record);
      await settleInOrder(record, [record._id]);
      return isNew;
    },

    /** The usage up to this moment. Its cost does not depend on the number of records. */
    sum: async (scope: UsageScope): Promise<Sums> => {
      await settleAll(scope);
      return (await store.sums(scope)).reduce(plus, { totalFee: "0", tokens: 0 });
    },

    /** The usage of a session as its document contains it; undefined if nothing was used. Reads all of its records. */
    usageOf: async (session: { projectId: string; sessionId: string }): Promise<string | undefined> => {
      const meter = new SessionMeter(undefined);
      for (const { modelId, tokens, providerFee, bandwidthFee, byok } of await store.ofSession(session)) {
        meter.addTokens(modelId, tokens, { providerFee, bandwidthFee, byok });
      }
      return meter.text;
    },
  };
}

function added(
  { projectId, workforceAgentId, month }: UsageAccount,
  before: UsageTotals | null,
  records: readonly UsageRecord[],
  counted: string[],
): UsageTotals {
  const account = { projectId, workforceAgentId, month };
  const { totalFee, tokens, rev } = before ?? { totalFee: "0", tokens: 0, rev: 0 };
  const sums = records.map(sumsOf).reduce(plus, { totalFee, tokens });
  return { _id: accountId(account), ...account, rev: rev + 1, counted, ...sums };
}

function sumsOf({ providerFee, bandwidthFee, tokens: { input, output } }: UsageRecord): Sums {
  return { totalFee: addDecimals(providerFee, bandwidthFee), tokens: input + output };
}

function plus(a: Sums, b: Sums): Sums {
  return { totalFee: addDecimals(a.totalFee, b.totalFee), tokens: a.tokens + b.tokens };
}

function byAccount(records: readonly UsageRecord[]): Array<[UsageAccount, string[]]> {
  const accounts = new Map<string, [UsageAccount, string[]]>();
  for (const record of records) {
    const id = accountId(record);
    const known = accounts.get(id);
    if (known === undefined) accounts.set(id, [record, [record._id]]);
    else known[1].push(record._id);
  }
  return [...accounts.values()];
}
