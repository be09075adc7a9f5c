import { resolve } from "node:path";
import { freePort } from "../free-port.ts";
import { runLoad } from "../stream/load.ts";
import { startMuster } from "../stream/muster.ts";
import { readCpuMs, startHelper } from "../stream/processes.ts";
import { chunksPerStream } from "../stream/script.ts";
import { median } from "../stream/statistics.ts";
import type { Target } from "../stream/target.ts";
import { loadOf, verify } from "../stream/targets.ts";

// The CPU time of a streamed turn with metrics, as a ratio to that without. Servers take turns, so that other work on the
// machine affects all; CPU time and not time, so that waiting for a core does not count.
// Usage: node bench/metrics/main.ts [rounds] [checkout of Muster from before]

const concurrency = 8;
const streamsPerRun = 96;
const rounds = Number(process.argv[2] ?? 24);
const before = process.argv[3];

interface Server {
  name: string;
  target: Target;
  /** Undefined: it has no metrics. */
  metricsUrl: string | undefined;
  cpuMs: number[];
}

const provider = await startHelper(new URL("../stream/provider.ts", import.meta.url));
const servers: Server[] = [];
try {
  servers.push(await start("off"));
  const port = await freePort();
  servers.push(await start("on", { METRICS_PORT: String(port) }, `http://127.0.0.1:${port}/metrics`));
  if (before !== undefined) servers.push(await start("before", {}, undefined, resolve(before)));
  for (const { target } of servers) await verify(target, chunksPerStream);
  for (const server of servers) await run(server);
  for (const { cpuMs } of servers) cpuMs.length = 0;
  for (let round = 0; round < rounds; round++)
    for (const server of round % 2 === 0 ? servers : servers.toReversed()) await run(server);
  for (const { name, cpuMs } of servers)
    console.log(
      `${name.padEnd(8)} ${median(cpuMs).toFixed(2)} ms CPU per stream (${ratioTo(servers[0]?.cpuMs, cpuMs)})`,
    );
} finally {
  for (const { target } of servers) await target.stop();
  await provider.stop();
}

async function start(name: string, env = {}, metricsUrl?: string, checkout?: string): Promise<Server> {
  const { port: providerPort } = provider;
  // A machine with other work on it would make the loop late, and requests be refused.
  const settings = { MAX_EVENT_LOOP_DELAY_MS: "0", ...env };
  const options = { providerPort, env: settings, ...(checkout !== undefined && { checkout }) };
  return { name, target: await startMuster("muster", options), metricsUrl, cpuMs: [] };
}

/** One scrape for each run, which is far more often than Prometheus asks. */
async function run({ target, metricsUrl, cpuMs }: Server): Promise<void> {
  const requests = await target.prepare("bench", streamsPerRun);
  const beforeMs = await readCpuMs(target.pid);
  const job = {
    ...loadOf(target),
    requests,
    count: streamsPerRun,
    concurrency,
    spreadMs: 0,
    countDeltas: false,
  };
  const { failed, example } = await runLoad(job);
  if (failed > 0) throw new Error(`${failed} of ${streamsPerRun} streams failed, one as: ${example}`);
  if (metricsUrl !== undefined) await (await fetch(metricsUrl)).text();
  cpuMs.push(((await readCpuMs(target.pid)) - beforeMs) / streamsPerRun);
}

function ratioTo(first: readonly number[] = [], values: readonly number[]): string {
  const ratios = values.map((value, round) => value / (first[round] ?? Number.NaN)).sort((a, b) => a - b);
  const at = (share: number) => (ratios[Math.floor(share * (ratios.length - 1))] ?? Number.NaN).toFixed(3);
  return `${median(ratios).toFixed(3)} of off; quartiles ${at(0.25)} to ${at(0.75)}`;
}
