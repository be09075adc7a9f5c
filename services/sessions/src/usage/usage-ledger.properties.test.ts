import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { MemoryStore, openLedger } from "../../test/support/usage-memory.ts";
import type { UsageRecord } from "../store/usage-document.ts";

const projectId = "prj_1";
const month = "2026-11";

function recordOf(index: number, workforceAgentId: string): UsageRecord {
  return {
    _id: `exe_${index}:1`,
    ...{ projectId, workforceAgentId, month },
    ...{ sessionId: "ses_1", executionId: `exe_${index}`, step: 1 },
    at: new Date(0),
    modelId: "local/scripted",
    // Powers of two: every subset has its own sum.
    tokens: { input: 2 ** index, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    priceVersion: "test",
    providerFee: `0.${"0".repeat(index)}1`,
    bandwidthFee: "0",
    byok: false,
    pending: true,
  };
}

interface Process {
  /** Indices of the records that it adds; the same ones are of a call that was made again. */
  adds: number[];
  /** It also reads the sums so often. */
  reads: number;
  dies?: { at: number; after: boolean };
}

const processes: fc.Arbitrary<Process[]> = fc.array(
  fc
    .record({
      adds: fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 5 }),
      reads: fc.integer({ min: 0, max: 2 }),
      dies: fc.option(fc.record({ at: fc.integer({ min: 1, max: 20 }), after: fc.boolean() })),
    })
    .map(({ dies, ...rest }) => ({ ...rest, ...(dies === null ? {} : { dies }) })),
  { minLength: 1, maxLength: 4 },
);

const agentOf = (index: number) => `agt_${index % 2}`;

async function play(store: MemoryStore, scheduler: fc.Scheduler, list: Process[]): Promise<void> {
  const take = scheduler.scheduleFunction(async () => undefined);
  const ends = list.map(({ adds, reads, dies }) => {
    const ledger = openLedger(store.client(take, dies));
    const work = [
      ...adds.map((index) => ledger.add(recordOf(index, agentOf(index)))),
      ...Array.from({ length: reads }, () => ledger.sum({ projectId, month })),
    ];
    return Promise.allSettled(work);
  });
  await scheduler.waitFor(Promise.all(ends));
}

describe("the usage of workforce agents", () => {
  test("every record is in the sums exactly once, however processes add and read at the same time and wherever they die", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), processes, async (scheduler, list) => {
        const store = new MemoryStore();
        await play(store, scheduler, list);
        store.assertNothingTwice();
        const ledger = openLedger(store.client(async () => undefined));
        for (const workforceAgentId of [undefined, "agt_0", "agt_1"]) {
          const own = [...store.records.values()].filter(
            (record) => workforceAgentId === undefined || record.workforceAgentId === workforceAgentId,
          );
          const scope = { projectId, month, ...(workforceAgentId !== undefined && { workforceAgentId }) };
          const { tokens, totalFee } = await ledger.sum(scope);
          assert.equal(
            tokens,
            own.reduce((sum, record) => sum + record.tokens.input, 0),
          );
          const digits = own.map(({ providerFee }) => providerFee.length - 2);
          const fee = Array.from({ length: 9 }, (_, index) => (digits.includes(index + 1) ? "1" : "0")).join(
            "",
          );
          assert.equal(totalFee, own.length === 0 ? "0" : `0.${fee.replace(/0+$/, "")}`);
        }
        assert.ok([...store.records.values()].every(({ pending }) => pending === undefined));
      }),
      { numRuns: 1_000 },
    );
  });

  test("a process that has added a record finds it in the sum at once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const store = new MemoryStore();
        const take = scheduler.scheduleFunction(async () => undefined);
        const one = openLedger(store.client(take));
        const other = openLedger(store.client(take));
        const seen = one
          .add(recordOf(3, "agt_0"))
          .then(async () => (await one.sum({ projectId, month })).tokens);
        const disturbing = Promise.all([other.add(recordOf(4, "agt_0")), other.add(recordOf(3, "agt_0"))]);
        const [tokens] = await scheduler.waitFor(Promise.all([seen, disturbing]));
        assert.equal(tokens & 8, 8);
      }),
      { numRuns: 300 },
    );
  });

  test("a repeated call is recorded once and says so", async () => {
    const store = new MemoryStore();
    const ledger = openLedger(store.client(async () => undefined));
    assert.equal(await ledger.add(recordOf(1, "agt_0")), true);
    assert.equal(await ledger.add(recordOf(1, "agt_0")), false);
    assert.deepEqual(await ledger.sum({ projectId, month }), { totalFee: "0.01", tokens: 2 });
  });
});
