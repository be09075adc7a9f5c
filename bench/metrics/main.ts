import { resolve } from "node:path";
import { freePort } from "../free-port.ts";
import { runLoad } from "../stream/load.ts";
import { startMuster } from "../stream/muster.ts";
import { startHelper } from "../stream/processes.ts";
import { chunksPerStream } from "../stream/script.ts";
import { median } from "../stream/statistics.ts";
import type { Target } from "../stream/target.ts";
import { loadOf, verify } from "../stream/targets.ts";
import { cpuTimeMs } from "./cpu-time.ts";
import { compare, describe, meanOf } from "./ratio.ts";

// The CPU time of a streamed turn with metrics, as a ratio to that without; `again` is a second server without them, whose
// ratio shows how exact the others are. The servers have the same work at the same time, so that everything else on the
// machine affects all; CPU time and not time, so that waiting for a core does not count. New processes take over several
// times, because the memory layout of a process alone makes it a few percent faster or slower than another.
// Usage: node bench/metrics/main.ts [rounds] [checkout of Muster from before]

const clients = 4;
const streamsPerRound = 48;
const roundsPerStart = 12;
const warmUpRounds = 3;
const scrapeEveryMs = 15_000;
const rounds = Number(process.argv[2] ?? 60);
const before = process.argv[3];

interface Server {
  target: Target;
  /** Undefined: it has no metrics. */
  metricsUrl: string | undefined;
}

const variants = ["off", "again", "on", ...(before === undefined ? [] : ["before"])];
/** For each variant, the CPU time of a stream in each round of each start. */
const cpuMs = new Map(variants.map((name) => [name, [] as number[][]]));
let scrapedAtMs = Number.NEGATIVE_INFINITY;
const provider = await startHelper(new URL("../stream/provider.ts", import.meta.url));
try {
  for (let left = rounds; left > 0; left -= roundsPerStart)
    await measureStart(Math.min(left, roundsPerStart));
} finally {
  await provider.stop();
}
const [off = [], again = []] = ["off", "again"].map((name) => cpuMs.get(name));
for (const [name, values] of cpuMs) {
  const base = name === "again" ? off : meanOf([off, again]);
  const ratio = name === "off" ? "" : `; ratio ${describe(compare(values, base))}`;
  console.log(`${name.padEnd(8)} ${median(values.flat()).toFixed(2)} ms CPU per stream${ratio}`);
}

/** Some rounds of new processes. */
async function measureStart(count: number): Promise<void> {
  const servers = new Map<string, Server>();
  try {
    for (const name of variants) servers.set(name, await start(name));
    for (const { target } of servers.values()) await verify(target, chunksPerStream);
    for (let round = 0; round < warmUpRounds; round++) await Promise.all([...servers.values()].map(run));
    const ofStart = new Map(variants.map((name) => [name, [] as number[]]));
    for (let round = 0; round < count; round++)
      await Promise.all([...servers].map(async ([name, one]) => ofStart.get(name)?.push(await run(one))));
    for (const [name, values] of ofStart) cpuMs.get(name)?.push(values);
  } finally {
    await Promise.all([...servers.values()].map(({ target }) => target.stop()));
  }
}

async function start(name: string): Promise<Server> {
  const port = await freePort();
  const options = {
    providerPort: provider.port,
    // A machine with other work on it would make the loop late, and requests be refused.
    env: { MAX_EVENT_LOOP_DELAY_MS: "0", ...(name === "on" && { METRICS_PORT: String(port) }) },
    ...(name === "before" && before !== undefined && { checkout: resolve(before) }),
  };
  const target = await startMuster("muster", options);
  return { target, metricsUrl: name === "on" ? `http://127.0.0.1:${port}/metrics` : undefined };
}

async function run({ target, metricsUrl }: Server): Promise<number> {
  const requests = await target.prepare("bench", streamsPerRound);
  const beforeMs = await cpuTimeMs(target.pid);
  const load = { ...loadOf(target), requests, count: streamsPerRound, concurrency: clients };
  const { failed, example } = await runLoad({ ...load, spreadMs: 0, countDeltas: false });
  if (failed > 0) throw new Error(`${failed} of ${streamsPerRound} streams failed, one as: ${example}`);
  if (metricsUrl !== undefined) await scrape(metricsUrl);
  return ((await cpuTimeMs(target.pid)) - beforeMs) / streamsPerRound;
}

/** As often as Prometheus, whose scrapes are a part of the rounds in which they happen to be. */
async function scrape(url: string): Promise<void> {
  if (performance.now() - scrapedAtMs < scrapeEveryMs) return;
  scrapedAtMs = performance.now();
  await (await fetch(url)).text();
}
