/** Streams of Muster, compared with those of a server that many would build instead; see `bench/README.md`. */
import { parseArgs } from "node:util";
import { startHelper } from "../support/processes.ts";
import { measureFresh, measurePaced, measureSingle, measureThroughput, Samples, verify } from "./measure.ts";
import { report } from "./report.ts";
import { onlyThroughput, startTarget, type Target, type TargetOptions, targetNames } from "./targets.ts";

const { values } = parseArgs({
  options: {
    /** Fewer rounds and shorter runs: for a look, not for figures. */
    quick: { type: "boolean", default: false },
    /** Targets, separated by commas. */
    only: { type: "string", default: targetNames.join(",") },
    /** A folder for CPU profiles of Muster under load. */
    profile: { type: "string" },
  },
});
const names = targetNames.filter((name) => values.only.split(",").includes(name));
if (names.length === 0) throw new Error(`--only accepts ${targetNames.join(",")}`);
const effort = values.quick
  ? { singleStreams: 100, secondsPerRun: 1, pacedRepeats: 2, concurrencies: [32] }
  : { singleStreams: 400, secondsPerRun: 3, pacedRepeats: 3, concurrencies: [32, 200] };
const rounds = values.quick ? { sideBySide: 3, fresh: 1 } : { sideBySide: 4, fresh: 3 };
const samples = Object.fromEntries(names.map((name) => [name, new Samples()]));
const provider = await startHelper(new URL("provider.ts", import.meta.url));
const options = { provider: provider.port };
try {
  await measureSideBySide({ ...options, profile: values.profile });
  for (let round = 0; round < rounds.fresh; round++)
    for (const name of names.filter((each) => !onlyThroughput.has(each))) {
      console.error(`fresh process: ${name}`);
      await measureFresh(name, samples[name] ?? new Samples(), options);
    }
} finally {
  await provider.stop();
}
report(samples, names);
if (values.quick) console.log("A quick run: the numbers are rough.");

/** Interleaved, so that other work on the machine affects all targets equally. The first round is an uncounted warm-up. */
async function measureSideBySide(started: TargetOptions): Promise<void> {
  const targets: Target[] = [];
  try {
    for (const name of names) {
      const target = await startTarget(name, started);
      targets.push(target);
      await verify(target);
    }
    for (let round = 0; round <= rounds.sideBySide; round++) {
      // No target always follows the same other one.
      for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
        console.error(round === 0 ? `warming up ${target.name}` : `round ${round}: ${target.name}`);
        await measureRound(target, (round > 0 && samples[target.name]) || new Samples());
      }
    }
  } finally {
    for (const target of targets) await target.stop();
  }
}

async function measureRound(target: Target, kept: Samples): Promise<void> {
  if (onlyThroughput.has(target.name)) return measureThroughput(target, kept, 32, effort);
  await measureSingle(target, kept, effort);
  for (const concurrency of effort.concurrencies) await measureThroughput(target, kept, concurrency, effort);
  await measurePaced(target, kept, effort);
}
