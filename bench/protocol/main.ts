import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { measureCachedProgram } from "./cached-program.ts";
import { measureCompile } from "./compile.ts";
import { measureFresh } from "./fresh-process.ts";
import { measureGenerated } from "./generated.ts";
import { measureHostile } from "./hostile.ts";
import { readOptions, usage } from "./options.ts";
import { formatTable, type Row, row } from "./report.ts";

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
  const effort = quick ? { rounds: 3, runsPerRound: 30 } : { rounds: 10, runsPerRound: 100 };
  const { yaml, compile, yamlOfBroken, validate, print } = measureCompile(effort);
  return [
    row("compile, 300 lines and 20 prompts, median (ms)", compile.median, 5, yaml.median),
    row("compile, p95 (ms)", compile.p95, undefined, yaml.p95),
    row("validate, the same with 50 errors, median (ms)", validate.median, 15, yamlOfBroken.median),
    row("validate, p95 (ms)", validate.p95, undefined, yamlOfBroken.p95),
    row("print, median (ms)", print.median, undefined, yaml.median),
  ];
}

async function cacheRows(quick: boolean): Promise<Row[]> {
  say("looking up a cached program");
  const { median } = await measureCachedProgram(quick ? 10 : 50);
  return [row("cached program lookup, median (µs)", median * 1_000, 2)];
}

async function freshRows(quick: boolean): Promise<Row[]> {
  say("compiling in fresh processes");
  const { yaml, compile } = await measureFresh(quick ? 3 : 11);
  const metric = "load the compiler and compile once, fresh process, median (ms)";
  return [row(metric, compile.median, undefined, yaml.median)];
}

async function hostileRows(quick: boolean): Promise<Row[]> {
  say("sending hostile YAML to the checker of the agents service");
  const { cases, worstStallMs } = await measureHostile(quick ? 1 : 5);
  for (const { what, worstMs, codes } of cases)
    say(`  ${what}: ${worstMs.toFixed(1)} ms, ${codes.join(", ")}`);
  const slowest = cases.toSorted((a, b) => b.worstMs - a.worstMs)[0];
  return [
    row(
      `hostile YAML refused, the slowest of ${cases.length}: ${slowest?.what} (ms)`,
      slowest?.worstMs ?? 0,
      100,
    ),
    row("hostile YAML, longest stall of the main thread (ms)", worstStallMs),
  ];
}

function generatedRows(count: number, seed: number): Row[] {
  say(`compiling ${count.toLocaleString("en")} generated definitions, seed ${seed}`);
  const { compile, yaml, worst, sound, refused, codes } = measureGenerated(count, seed);
  say(`  ${sound} compiled, ${refused} were refused with ${codes} different codes, none threw`);
  say("  each that parsed was printed and compiled again, to the same program");
  say(`  the slowest is definition ${worst.index} of this seed, with ${worst.bytes} bytes of YAML`);
  return [
    row("generated definitions, time per definition, median (ms)", compile.median, undefined, yaml.median),
    row("generated definitions, the slowest of all (ms)", worst.ms, 1_000),
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
