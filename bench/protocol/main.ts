import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { measureCachedProgram } from "./cached-program.ts";
import { measureCompile } from "./compile.ts";
import { measureFresh } from "./fresh-process.ts";
import { measureGenerated } from "./generated.ts";
import { measureHostile } from "./hostile.ts";
import { readOptions, usage } from "./options.ts";
import { formatTable, type Row, row, rowWithRatio } from "./report.ts";
import { ratioOf } from "./timing.ts";

const results = fileURLToPath(new URL("../results/", import.meta.url));
const say = (text: string) => process.stderr.write(`${text}\n`);

async function main(args: string[]): Promise<void> {
  const { quick, count, seed } = readOptions(args);
  const rows = [
    ...compileRows(quick),
    ...(await cacheRows(quick)),
    ...(await freshRows(quick)),
    ...(await hostileRows(quick)),
    ...generatedRows(count, seed),
  ];
  console.log(`\n${formatTable(rows)}\n`);
  if (quick) console.log("A quick run: the numbers are rough.");
  await save(rows, quick);
  if (rows.some(({ target }) => target?.reached === false)) process.exitCode = 1;
}

function compileRows(quick: boolean): Row[] {
  say("compiling the sample");
  const effort = quick ? { rounds: 5, runsPerRound: 20 } : { rounds: 20, runsPerRound: 50 };
  const { yaml, compile, yamlOfBroken, validate, print } = measureCompile(effort);
  return [
    rowWithRatio(
      "compile, 300 lines and 20 prompts (CPU ms)",
      { value: compile.cpu, yardstick: yaml.cpu, ratio: ratioOf(compile, yaml) },
      { value: 10, ratio: 1.6 },
    ),
    row("  p95 of all runs (ms)", compile.p95, undefined, yaml.p95),
    row("validate, the same with 50 errors (CPU ms)", validate.cpu, 15, yamlOfBroken.cpu),
    row("  p95 of all runs (ms)", validate.p95, undefined, yamlOfBroken.p95),
    row("print (CPU ms)", print.cpu, undefined, yaml.cpu),
  ];
}

async function cacheRows(quick: boolean): Promise<Row[]> {
  say("looking up a cached program");
  const lookup = await measureCachedProgram(quick ? 10 : 50);
  return [row("cached program lookup (µs)", lookup.median * 1_000, 2)];
}

async function freshRows(quick: boolean): Promise<Row[]> {
  say("compiling in fresh processes");
  const { yaml, compile } = await measureFresh(quick ? 3 : 11);
  const metric = "load the compiler and compile once, fresh process (ms)";
  return [row(metric, compile.median, undefined, yaml.median)];
}

async function hostileRows(quick: boolean): Promise<Row[]> {
  say("sending hostile YAML to the checker of the agents service");
  const { cases, worstStallMs } = await measureHostile(quick ? 2 : 4);
  for (const { what, refusedMs, codes } of cases) {
    say(`  ${what}: ${refusedMs.toFixed(1)} ms, ${codes.join(", ")}`);
  }
  const slowest = cases.toSorted((a, b) => b.refusedMs - a.refusedMs)[0];
  say(`  the slowest is: ${slowest?.what}`);
  const metric = `hostile YAML refused, the slowest of ${cases.length} (CPU ms)`;
  return [
    row(metric, slowest?.refusedMs ?? Number.NaN, 100),
    row("  longest stall of the main thread meanwhile (ms)", worstStallMs),
  ];
}

function generatedRows(count: number, seed: number): Row[] {
  say(`compiling ${count.toLocaleString("en")} generated definitions, seed ${seed}`);
  const { compile, yaml, worst, sound, refused, codes } = measureGenerated(count, seed);
  say(`  ${sound} compiled, ${refused} were refused with ${codes} different codes, none threw`);
  say("  each that parsed was printed and compiled again, to the same program");
  say(`  the slowest is definition ${worst.index} of this seed, with ${worst.bytes} bytes of YAML`);
  return [
    row("generated definition (ms)", compile.median, undefined, yaml.median),
    row(`  the slowest of ${count.toLocaleString("en")} (ms)`, worst.ms, 1_000),
  ];
}

async function save(rows: readonly Row[], quick: boolean): Promise<void> {
  await mkdir(results, { recursive: true });
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version };
  const json = { date: new Date().toISOString(), quick, machine, rows };
  await writeFile(`${results}protocol.json`, `${JSON.stringify(json, undefined, 2)}\n`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(`\n${usage}`);
  process.exitCode = 1;
}
