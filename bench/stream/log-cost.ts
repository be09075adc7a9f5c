import { emptySamples, measureThroughput } from "./measure.ts";
import { startMuster } from "./muster.ts";
import { startHelper } from "./processes.ts";
import { chunksPerStream } from "./script.ts";
import { median } from "./statistics.ts";
import { verify } from "./targets.ts";

/** The cost of execution logs: streams of two servers that take turns, one with logs and one without. */
const rounds = Number(process.argv[2] ?? 16);
const concurrency = 32;
const effort = { singleStreams: 0, pacedRepeats: 0, secondsPerRun: 1 };

const provider = await startHelper("provider.ts");
const servers = await Promise.all(
  (["on", "off"] as const).map(async (executionLog) => ({
    executionLog,
    target: await startMuster({ providerPort: provider.port, env: { EXECUTION_LOG: executionLog } }),
    samples: emptySamples(),
  })),
);
try {
  for (const { target } of servers) await verify(target, chunksPerStream);
  for (const { target } of servers) await measureThroughput(target, emptySamples(), concurrency, effort);
  for (let round = 0; round < rounds; round++) {
    // The first of a round has no advantage over the other in the long run.
    for (const { target, samples } of round % 2 === 0 ? servers : servers.toReversed())
      await measureThroughput(target, samples, concurrency, effort);
  }
  for (const { executionLog, samples } of servers) {
    const rate = median(samples.streamsPerSecond[concurrency] ?? []);
    const cpuMs = median(samples.cpuMsPerStream);
    console.log(`logs ${executionLog}: ${rate.toFixed(0)} streams/s, ${cpuMs.toFixed(3)} ms CPU per stream`);
  }
} finally {
  for (const { target } of servers) await target.stop();
  await provider.stop();
}
