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
/** Whose limits, how many tokens, and of which records. */
const counted: ReadonlyArray<[whose: string, limit: number, of: Partial<UsageRecord>]> = [
  ["project", 20, {}],
  ["key", 10, { keyId: "key_a" }],
  ["subject ada", 12, { subject: "ada" }],
  ["subject bob", 12, { subject: "bob" }],
];
const owners = {
  project: { monthlyTokens: 20 },
  perSubject: { monthlyTokens: 12 },
  keys: new Map([["key_a", { monthlyTokens: 10 }]]),
};
const nothing = { totalFee: "0", tokens: 0 };

/** One turn after another, each a list of calls with their tokens. */
interface Turn {
  keyId: string;
  subject: string;
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
    subject: fc.constantFrom("ada", "bob"),
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
    const { store, subjects } = this.store.client(this.#take, dies);
    const insert = async (record: UsageRecord): Promise<boolean> => {
      try {
        return await store.insert(record);
      } finally {
        if (this.store.records.has(record._id)) this.#noteUse(record);
      }
    };
    const ledger = openLedger({ store: { ...store, insert }, subjects });
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
    for (const [whose, limit, of] of counted) {
      const before = this.#openAtLimit.get(whose);
      const isCounted = this.#recordsOf(of).some((record) => record._id === _id);
      if (before !== undefined) assert.ok(!isCounted || before.has(_id), `${_id} began beyond the limit`);
      else if (this.used(of) >= limit) this.#openAtLimit.set(whose, new Set(this.#open));
    }
    this.#clock.advance(1_001);
  }

  #recordsOf({ keyId, subject }: Partial<UsageRecord>): UsageRecord[] {
    return [...this.store.records.values()].filter(
      (record) => record.keyId === (keyId ?? record.keyId) && record.subject === (subject ?? record.subject),
    );
  }

  used(of: Partial<UsageRecord>): number {
    return this.#recordsOf(of)
      .map((record) => sumsOf(record))
      .reduce(plus, nothing).tokens;
  }

  async run({ calls, on, ...of }: Turn): Promise<void> {
    let index = on;
    for (const tokens of calls) {
      let outcome = await this.#call(of, tokens, index);
      // Another instance adopts the turn, and makes the call again.
      while (outcome === "died") outcome = await this.#call(of, tokens, ++index);
      if (outcome === "refused") return;
    }
  }

  async #call(
    of: Pick<Turn, "keyId" | "subject">,
    tokens: number,
    index: number,
  ): Promise<"made" | "refused" | "died"> {
    const { guard, ledger } = this.#instances[index % this.#instances.length] ?? assert.fail();
    const record = recordOf(`exe_${this.#calls++}:e1:1`, of, tokens);
    this.#open.add(record._id);
    try {
      const outcome = await guard.admit({ projectId, ...of }, () => ({ totalFee: "0", tokens: mostTokens }));
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

function recordOf(_id: string, of: Pick<Turn, "keyId" | "subject">, tokens: number): UsageRecord {
  return {
    ...{ _id, projectId, ...of, month, sessionId: "ses_1", executionId: "exe_1", step: 1 },
    at: new Date(0),
    modelId: "local/scripted",
    tokens: { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    ...{ priceVersion: "test", providerFee: "0", bandwidthFee: "0", byok: false },
    ...{ pending: true, pendingSubject: true },
  };
}

/** Also what a later reader adds up. */
async function assertTotals(world: Installation) {
  const ledger = openLedger(world.store.client(async () => undefined));
  const scopes = [{}, { keyId: "key_a" }, { keyId: "key_b" }, { subject: "ada" }, { subject: "bob" }];
  for (const of of scopes) {
    const { tokens } = await ledger.sum({ projectId, month, ...of });
    assert.equal(tokens, world.used(of));
  }
}

describe("the limits of projects, keys and subjects", () => {
  test("only calls that were in flight exceed a limit, whatever instances do at the same time, where they die and which one adopts a turn", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), turns, deaths, async (scheduler, list, dying) => {
        const world = new Installation(
          scheduler.scheduleFunction(async () => undefined),
          3,
          dying,
        );
        await scheduler.waitFor(Promise.all(list.map((turn) => world.run(turn))));
        await assertTotals(world);
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
        for (const [, limit, of] of counted) assert.ok(world.used(of) < limit + mostTokens);
      }),
      { numRuns: 300 },
    );
  });
});
