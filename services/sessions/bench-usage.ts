/**
 * Measures what a workforce run pays for its records and limits: `node services/sessions/bench-usage.ts [records]`. Compares
 * an agent and a project with few and with many records of the month in one run; the store is embedded, in a thread of its own.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedStore } from "@muster/embedded-store";
import { silentLogger } from "@muster/service";
import { openDatabase } from "@muster/store";
import { createUsageLedger } from "./src/driver/usage/usage-ledger.ts";
import { createInOrder } from "./src/store/in-order.ts";
import type { UsageRecord } from "./src/store/usage-document.ts";
import { createUsageStore, usageIndexes, usageTotalsIndexes } from "./src/store/usage-store.ts";

const [records = "50000"] = process.argv.slice(2);
const month = "2026-11";
const agentsOfProject = 50;
const rounds = 200;

const closers: Array<() => Promise<unknown>> = [];
const directory = await mkdtemp(join(tmpdir(), "muster-bench-"));
const store = await startEmbeddedStore({ directory });
const { db } = await openDatabase(
  {
    store: { uri: store.uri, databasePrefix: "bench" },
    service: "sessions",
    indexes: [usageIndexes, usageTotalsIndexes],
    log: silentLogger,
    metrics: undefined,
  },
  (close) => void closers.unshift(async () => close()),
);
const ledger = createUsageLedger(createUsageStore(db), createInOrder());

let count = 0;
function record(projectId: string, agent: number): UsageRecord {
  const executionId = `exe_${++count}`;
  return {
    _id: `${executionId}:1`,
    ...{ projectId, workforceAgentId: `agt_${projectId}_${agent}`, month, executionId, step: 1 },
    sessionId: `ses_${projectId}_${count % 100}`,
    at: new Date(),
    modelId: "openai/gpt-4o-mini",
    tokens: { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    ...{ priceVersion: "bench", providerFee: "0.00021", bandwidthFee: "0", byok: false },
    pending: true,
  };
}

async function fill(projectId: string, size: number): Promise<void> {
  const collection = db.collection<UsageRecord>("workforce_usage");
  for (let at = 0; at < size; at += 1_000) {
    const batch = Array.from({ length: Math.min(1_000, size - at) }, (_, index) =>
      record(projectId, index % agentsOfProject),
    );
    await collection.insertMany(batch);
    await ledger.sum({ projectId, month });
  }
}

async function medianMs(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now();
    await run();
    times.push(performance.now() - startedMs);
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

const sizes = { few: 100, many: Number(records) };
for (const [projectId, size] of Object.entries(sizes)) await fill(projectId, size);
const table: Record<string, Record<string, string>> = {};
for (const projectId of Object.keys(sizes)) {
  const scope = { projectId, month };
  const agent = { ...scope, workforceAgentId: `agt_${projectId}_0` };
  const aggregation = [{ $match: agent }, { $group: { _id: null, tokens: { $sum: "$tokens.input" } } }];
  table[`${projectId}: ${Object.entries(sizes).find(([name]) => name === projectId)?.[1]} records`] = {
    "record a step (ms)": (await medianMs(() => ledger.add(record(projectId, 0)))).toFixed(2),
    "sum of an agent": (await medianMs(() => ledger.sum(agent))).toFixed(2),
    "sum of a project of 50": (await medianMs(() => ledger.sum(scope))).toFixed(2),
    "records added up instead": (
      await medianMs(() => db.collection("workforce_usage").aggregate(aggregation).toArray())
    ).toFixed(2),
  };
}
console.table(table);
for (const close of closers) await close();
await store.stop();
await rm(directory, { recursive: true, force: true });
