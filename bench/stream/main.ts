import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import {
  type Effort,
  emptySamples,
  measureFresh,
  measurePaced,
  measureSingle,
  measureThroughput,
  type Samples,
} from "./measure.ts";
import { readOptions, usage } from "./options.ts";
import { startHelper } from "./processes.ts";
import { formatMarkdown, formatTable, makeRows } from "./report.ts";
import { chunksPerStream } from "./script.ts";
import { onlyThroughput, type Target, type TargetName } from "./target.ts";
import { startTarget, type TargetOptions, verify } from "./targets.ts";

const results = fileURLToPath(new URL("../results/", import.meta.url));
const say = (text: string) => process.stderr.write(`${text}\n`);

async function main(args: string[]): Promise<void> {
  const { names, quick, profile } = readOptions(args);
  const samples = new Map<TargetName, Samples>(names.map((name) => [name, emptySamples()]));
  const provider = await startHelper(new URL("./provider.ts", import.meta.url));
  const options = { providerPort: provider.port, providerPid: provider.pid };
  try {
    const profileDirectory = profile ? `${results}profile` : undefined;
    await measureSideBySide(names, samples, { ...options, profileDirectory }, quick);
    for (let round = 0; round < (quick ? 1 : 3); round++)
      for (const [name, kept] of samples) {
        if (name === "direct" || onlyThroughput.has(name)) continue;
        say(`fresh process: ${name}`);
        await measureFresh(name, kept, options);
      }
  } finally {
    await provider.stop();
  }
  await report(names, Object.fromEntries(samples), quick);
}

/** Interleaved, so that other work on the machine affects all targets equally. The first round is an uncounted warm-up. */
async function measureSideBySide(
  names: TargetName[],
  samples: ReadonlyMap<TargetName, Samples>,
  options: TargetOptions,
  quick: boolean,
): Promise<void> {
  const effort: Effort = quick
    ? { singleStreams: 100, secondsPerRun: 1, pacedRepeats: 2, concurrencies: [32] }
    : { singleStreams: 400, secondsPerRun: 3, pacedRepeats: 3, concurrencies: [32, 200] };
  const rounds = quick ? 3 : 4;
  const targets: Target[] = [];
  try {
    for (const name of names) {
      const target = await startTarget(name, options);
      targets.push(target);
      await verify(target, chunksPerStream);
    }
    for (let round = 0; round <= rounds; round++) {
      // No target always follows the same other one.
      for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
        say(round === 0 ? `warming up ${target.name}` : `round ${round} of ${rounds}: ${target.name}`);
        const kept = round === 0 ? emptySamples() : samples.get(target.name);
        if (kept !== undefined) await measureRound(target, kept, effort);
      }
    }
  } finally {
    for (const target of targets) await target.stop();
  }
}

async function measureRound(target: Target, samples: Samples, effort: Effort): Promise<void> {
  if (onlyThroughput.has(target.name)) return measureThroughput(target, samples, 32, effort);
  await measureSingle(target, samples, effort);
  for (const concurrency of effort.concurrencies)
    await measureThroughput(target, samples, concurrency, effort);
  await measurePaced(target, samples, effort);
}

async function report(
  names: TargetName[],
  samples: Partial<Record<TargetName, Samples>>,
  quick: boolean,
): Promise<void> {
  const rows = makeRows(samples);
  console.log(`\n${formatTable(rows, names)}\n`);
  if (quick) console.log("A quick run: the numbers are rough.");
  await mkdir(results, { recursive: true });
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version };
  const json = { date: new Date().toISOString(), quick, machine, chunksPerStream, rows };
  await writeFile(`${results}stream.md`, `${formatMarkdown(rows, names)}\n`);
  await writeFile(`${results}stream.json`, `${JSON.stringify(json, undefined, 2)}\n`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(`\n${usage}`);
  process.exitCode = 1;
}
