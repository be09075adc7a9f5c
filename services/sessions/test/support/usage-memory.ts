import assert from "node:assert/strict";
import { silentLogger } from "@muster/service";
import { createInOrder } from "../../src/store/in-order.ts";
import { accountId, type UsageRecord, type UsageTotals } from "../../src/store/usage-document.ts";
import type { UsageStore } from "../../src/store/usage-store.ts";
import { createUsageLedger } from "../../src/usage/usage-ledger.ts";

/** One store, whose commands take effect one after another in an order that the test chooses. */
export class MemoryStore {
  readonly records = new Map<string, UsageRecord>();
  readonly totals = new Map<string, UsageTotals>();

  /** The ledger as one process sees it; it dies before its command with this number, or after it. */
  client(take: () => Promise<void>, dies?: { at: number; after: boolean }): UsageStores {
    let commands = 0;
    const run = async <T>(command: () => T): Promise<T> => {
      await take();
      commands += 1;
      const isLast = dies !== undefined && commands >= dies.at;
      if (isLast && !(dies.after && commands === dies.at)) throw new Error("The process has died");
      const result = structuredClone(command());
      if (isLast) throw new Error("The process has died");
      return result;
    };
    const all = () => [...this.records.values()];
    const matches = (scope: object) => (document: object) =>
      Object.entries(scope).every(([name, value]) => Reflect.get(document, name) === value);
    const storeOf = (flag: "pending" | "pendingSubject"): UsageStore => ({
      insert: (record) =>
        run(() => {
          if (this.records.has(record._id)) return false;
          this.records.set(record._id, structuredClone(record));
          return true;
        }),
      insertAll: (all) =>
        run(() => {
          for (const record of all)
            if (!this.records.has(record._id)) this.records.set(record._id, structuredClone(record));
        }),
      findPending: (scope, limit) =>
        run(() =>
          all()
            .filter(matches({ ...scope, [flag]: true }))
            .slice(0, limit),
        ),
      pendingAmong: (_, ids) => run(() => all().filter((record) => record[flag] && ids.includes(record._id))),
      settle: (_, ids) =>
        run(() => {
          for (const id of ids) delete this.records.get(id)?.[flag];
        }),
      findTotals: (account) => run(() => this.totals.get(accountId(account)) ?? null),
      replaceTotals: (next) =>
        run(() => {
          if ((this.totals.get(next._id)?.rev ?? 0) !== next.rev - 1) return false;
          this.totals.set(next._id, structuredClone(next));
          this.assertNothingTwice();
          return true;
        }),
      sums: (scope) =>
        run(() =>
          [...this.totals.values()]
            .filter(({ subject }) => (subject === undefined) === (flag === "pending"))
            .filter(matches(scope)),
        ),
      between: () => assert.fail("not used"),
      ofSession: () => run(all),
    });
    return { store: storeOf("pending"), subjects: storeOf("pendingSubject") };
  }

  /** A power of two that is added twice makes the sum larger than that of the records. */
  assertNothingTwice(): void {
    for (const { _id, subject, tokens } of this.totals.values()) {
      const own = [...this.records.values()].filter(({ subject: of, ...record }) =>
        subject === undefined ? accountId(record) === _id : of === subject,
      );
      const missing = own.reduce((sum, { tokens: { input } }) => sum + input, 0) - tokens;
      assert.ok(missing >= 0, `${-missing} tokens too many`);
    }
  }
}

export type UsageStores = Record<"store" | "subjects", UsageStore>;

export function openLedger(stores: UsageStores) {
  return createUsageLedger({ ...stores, inOrder: createInOrder(), log: silentLogger, gatherMs: 0 });
}
