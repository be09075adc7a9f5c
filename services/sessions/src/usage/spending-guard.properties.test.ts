import assert from "node:assert/strict";
import { monthOf } from "@muster/rpc";
import { ManualClock } from "@muster/service";
import fc from "fast-check";
import { describe, test } from "vitest";
import { MemoryStore, openLedger } from "../../test/support/usage-memory.ts";
import type { UsageRecord } from "../store/usage-document.ts";
import { createSpendingGuard } from "./spending-guard.ts";
import { plus, sumsOf } from "./usage-ledger.ts";

const projectId = "prj_1";
const month = monthOf(new ManualClock().now());
const mostTokens = 8;
/** Whose limits, how many tokens, and of which key. */
const counted = [
  ["project", 20, undefined],
  ["key", 10, "key_a"],
] as const;
const owners = { project: { monthlyTokens: 20 }, keys: new Map([["key_a", { monthlyTokens: 10 }]]) };
const nothing = { totalFee: "0", tokens: 0 };

/** One turn after another, each a list of calls with their tokens. */
interface Turn {
  keyId: string;
  calls: number[];
  /** The instance that begins it; the next one adopts it. */
  on: number;
}

interface Death {
  instance: number;
  at: number;
  after: boolean;
}

const turns: fc.Arbitrary<Turn[]> = fc.array(
  fc.record({
    keyId: fc.constantFrom("key_a", "key_b"),
    calls: fc.array(fc.integer({ min: 1, max: mostTokens }), { minLength: 1, maxLength: 6 }),
    on: fc.nat(2),
  }),
  { minLength: 1, maxLength: 5 },
);
const deaths: fc.Arbitrary<Death[]> = fc.uniqueArray(
  fc.record({ instance: fc.nat(1), at: fc.integer({ min: 1, max: 30 }), after: fc.boolean() }),
  { selector: ({ instance }) => instance, maxLength: 2 },
);

/** Instances that share a store, and the turns on them. */
class Installation {
  readonly store = new MemoryStore();
  readonly #clock = new ManualClock();
  readonly #instances;
  readonly #take: () => Promise<void>;
  /** Calls whose check has begun and that have not ended. */
  readonly #open = new Set<string>();
  /** By whose limit was reached: the calls that were open then. */
  readonly #openAtLimit = new Map<string, ReadonlySet<string>>();
  #calls = 0;

  constructor(take: () => Promise<void>, count: number, dying: Death[] = []) {
    this.#take = take;
    this.#instances = Array.from({ length: count }, (_, index) =>
      this.#start(dying.find(({ instance }) => instance === index)),
    );
  }

  #start(dies: Death | undefined) {
    const client = this.store.client(this.#take, dies);
    const insert = async (record: UsageRecord): Promise<boolean> => {
      try {
        return await client.insert(record);
      } finally {
        if (this.store.records.has(record._id)) this.#noteUse(record);
      }
    };
    const ledger = openLedger({ ...client, insert });
    const guard = createSpendingGuard({
      ledger,
      limitsOf: async () => owners,
      clock: this.#clock,
      announce: () => undefined,
    });
    return { ledger, guard };
  }

  /** A call that was open when a limit was reached may exceed it, and no other. Then more than a second passes. */
  #noteUse({ _id }: UsageRecord): void {
    for (const [whose, limit, keyId] of counted) {
      const before = this.#openAtLimit.get(whose);
      const isCounted = keyId === undefined || this.store.records.get(_id)?.keyId === keyId;
      if (before !== undefined) assert.ok(!isCounted || before.has(_id), `${_id} began beyond the limit`);
      else if (this.used(keyId) >= limit) this.#openAtLimit.set(whose, new Set(this.#open));
    }
    this.#clock.advance(1_001);
  }

  used(keyId?: string): number {
    const own = [...this.store.records.values()].filter(
      (record) => keyId === undefined || record.keyId === keyId,
    );
    return own.map((record) => sumsOf(record)).reduce(plus, nothing).tokens;
  }

  async run({ keyId, calls, on }: Turn): Promise<void> {
    let index = on;
    for (const tokens of calls) {
      let outcome = await this.#call(keyId, tokens, index);
      // Another instance adopts the turn, and makes the call again.
      while (outcome === "died") outcome = await this.#call(keyId, tokens, ++index);
      if (outcome === "refused") return;
    }
  }

  async #call(keyId: string, tokens: number, index: number): Promise<"made" | "refused" | "died"> {
    const { guard, ledger } = this.#instances[index % this.#instances.length] ?? assert.fail();
    const record = recordOf(`exe_${this.#calls++}:e1:1`, keyId, tokens);
    this.#open.add(record._id);
    try {
      const outcome = await guard.admit({ projectId, keyId }, () => ({ totalFee: "0", tokens: mostTokens }));
      if (outcome === undefined) assert.fail("a limit counts the call");
      if ("reached" in outcome) return "refused";
      await this.#take();
      await ledger.add(record);
      outcome.recorded(sumsOf(record));
      outcome.end();
      return "made";
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return "died";
    } finally {
      this.#open.delete(record._id);
    }
  }
}

function recordOf(_id: string, keyId: string, tokens: number): UsageRecord {
  return {
    ...{ _id, projectId, keyId, month, sessionId: "ses_1", executionId: "exe_1", step: 1 },
    at: new Date(0),
    modelId: "local/scripted",
    tokens: { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    ...{ priceVersion: "test", providerFee: "0", bandwidthFee: "0", byok: false, pending: true },
  };
}

/** Also what a later reader adds up. */
async function assertTotals({ store, used }: { store: MemoryStore; used(keyId?: string): number }) {
  const ledger = openLedger(store.client(async () => undefined));
  for (const keyId of [undefined, "key_a", "key_b"]) {
    const { tokens } = await ledger.sum({ projectId, month, ...(keyId !== undefined && { keyId }) });
    assert.equal(tokens, used(keyId));
  }
}

describe("the limits of projects and keys", () => {
  test("only calls that were in flight exceed a limit, whatever instances do at the same time, where they die and which one adopts a turn", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), turns, deaths, async (scheduler, list, dying) => {
        const world = new Installation(
          scheduler.scheduleFunction(async () => undefined),
          3,
          dying,
        );
        await scheduler.waitFor(Promise.all(list.map((turn) => world.run(turn))));
        await assertTotals({ store: world.store, used: (keyId) => world.used(keyId) });
      }),
      { numRuns: 1_000 },
    );
  });

  test("the calls of one instance together exceed a limit by one step at most", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), turns, async (scheduler, list) => {
        const world = new Installation(
          scheduler.scheduleFunction(async () => undefined),
          1,
        );
        await scheduler.waitFor(Promise.all(list.map((turn) => world.run(turn))));
        for (const [, limit, keyId] of counted) assert.ok(world.used(keyId) < limit + mostTokens);
      }),
      { numRuns: 300 },
    );
  });
});
