import { resolve } from "node:path";
import { runLoad } from "./load.ts";
import { type MusterTarget, startMuster } from "./muster.ts";
import { readCpuMs, startHelper } from "./processes.ts";
import { median } from "./statistics.ts";
import { loadOf } from "./targets.ts";

// CPU per stream of a session's start, its first trigger and a later one, by turns in the same process: two equal
// processes can differ by more than these three.
// Usage: node bench/stream/trigger-cost.ts <rounds> [checkout of Muster]

const processes = 3;
const streams = 200;
const kinds = ["start", "first trigger", "later trigger"] as const;
type Kind = (typeof kinds)[number];

const rounds = Number(process.argv[2]);
const checkout = process.argv[3] === undefined ? {} : { checkout: resolve(process.argv[3]) };

const provider = await startHelper(new URL("./provider.ts", import.meta.url));
const cpuMs: Record<Kind, number[]> = { start: [], "first trigger": [], "later trigger": [] };
try {
  for (let process = 0; process < processes; process++) {
    const muster = await startMuster("muster", { providerPort: provider.port, ...checkout });
    try {
      for (let round = -2; round < rounds; round++) {
        const measured = await measureRound(muster, round % 2 === 0);
        // The first two warm the process up.
        if (round >= 0) for (const kind of kinds) cpuMs[kind].push(measured[kind]);
      }
    } finally {
      await muster.stop();
    }
  }
  for (const kind of kinds) {
    const ratios = cpuMs[kind].map((value, round) => value / (cpuMs.start[round] ?? Number.NaN));
    const all = `${median(cpuMs[kind]).toFixed(2)} ms CPU per stream (${median(ratios).toFixed(3)})`;
    console.log(`${kind.padEnd(14)} ${all}`);
  }
} finally {
  await provider.stop();
}

/** Each round has sessions of its own, so "later" is always their second turn. */
async function measureRound(muster: MusterTarget, startsFirst: boolean): Promise<Record<Kind, number>> {
  const starts = await muster.prepareStarts("bench", streams);
  const triggers = await muster.prepareTriggers("bench", streams);
  const before = startsFirst ? await measure(muster, starts) : 0;
  const first = await measure(muster, triggers);
  const later = await measure(muster, triggers);
  const start = startsFirst ? before : await measure(muster, starts);
  return { start, "first trigger": first, "later trigger": later };
}

async function measure(muster: MusterTarget, requests: string[]): Promise<number> {
  const beforeMs = await readCpuMs(muster.pid);
  const job = { requests, count: streams, concurrency: 32, spreadMs: 0, countDeltas: false };
  const { failed, example } = await runLoad({ ...loadOf(muster), ...job });
  if (failed > 0) throw new Error(`${failed} of ${streams} streams failed, one as: ${example}`);
  return ((await readCpuMs(muster.pid)) - beforeMs) / streams;
}
