import { resolve } from "node:path";
import { median, medianRatio } from "../support/figures.ts";
import { startHelper } from "../support/processes.ts";
import { measureThroughput, Samples, verify } from "./measure.ts";
import { startTarget, type Target, targetNames } from "./targets.ts";

// Streams of 32 clients to servers that take turns, and the ratio of each to the first one in the same round.
// Usage: node bench/stream/compare.ts <rounds> <target or checkout of Muster>...
//   for example: node bench/stream/compare.ts 16 muster unlogged
//                node bench/stream/compare.ts 16 ../muster-before .

const concurrency = 32;
const effort = { secondsPerRun: 1 };
const rounds = Number(process.argv[2]);
const names = process.argv.slice(3);

const provider = await startHelper(new URL("provider.ts", import.meta.url));
const servers: Array<{ name: string; target: Target; samples: Samples }> = [];
try {
  for (const name of names) {
    const target = await start(name);
    servers.push({ name, target, samples: new Samples() });
    await verify(target);
    await measureThroughput(target, new Samples(), concurrency, effort);
  }
  for (let round = 0; round < rounds; round++) {
    // The first of a round has no advantage over the others in the long run.
    for (const { target, samples } of round % 2 === 0 ? servers : servers.toReversed())
      await measureThroughput(target, samples, concurrency, effort);
  }
  const [first] = servers;
  for (const { name, samples } of servers) {
    const all = (of: Samples = samples) => of.perSecond[concurrency] ?? [];
    const rate = `${median(all()).toFixed(0)} streams/s (${medianRatio(all(), all(first?.samples)).toFixed(3)})`;
    const { cpuMsPerStream: cpuMs } = samples;
    const ratio = medianRatio(cpuMs, first?.samples.cpuMsPerStream ?? []).toFixed(3);
    console.log(`${name.padEnd(24)} ${rate}, ${median(cpuMs).toFixed(2)} ms CPU per stream (${ratio})`);
  }
} finally {
  for (const { target } of servers) await target.stop();
  await provider.stop();
}

function start(name: string): Promise<Target> {
  const options = { provider: provider.port };
  const known = targetNames.find((target) => target === name);
  return known ? startTarget(known, options) : startTarget("muster", { ...options, checkout: resolve(name) });
}
