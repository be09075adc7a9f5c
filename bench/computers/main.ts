import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Computer, createComputers } from "@muster/computers";
import { startEmbeddedStore } from "@muster/embedded-store";
import { silentLogger, systemClock } from "@muster/service";
import { MongoClient } from "mongodb";

/** From `execute` to the first output of a command whose process was started in advance. */
const targetMs = 60;

const usage = `npm run bench:computers -- [--rounds 20]
  --rounds  how often each kind of call is measured; the median counts`;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { rounds: { type: "string", default: "20" } } });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(usage);
  const directory = await mkdtemp(join(tmpdir(), "muster-bench-"));
  const store = await startEmbeddedStore({ directory: join(directory, "store") });
  const client = await new MongoClient(store.uri).connect();
  const computers = createComputers({
    db: client.db("bench"),
    config: { blobsDirectory: join(directory, "blobs"), allowedHosts: [] },
    clock: systemClock,
    log: silentLogger,
  });
  try {
    const computer = await computers.open(
      { projectId: "prj", agentId: "agt", kind: "sandbox", os: "linux" },
      1,
    );
    await computer.start(new AbortController().signal);
    const prepared = await measure(computer, rounds, 3_000);
    const hasMissed = await report("prepared process, first output", prepared.first, targetMs);
    await report("prepared process, whole call", prepared.whole);
    const cold = await measure(computer, rounds, 0);
    await report("one call after another, whole call", cold.whole);
    await report("files__read, whole call", (await measureReads(computer, rounds)).whole);
    await report("control: an empty Node process", await measureNode(rounds));
    if (hasMissed) process.exitCode = 1;
  } finally {
    await computers.close();
    await client.close();
    await store.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

interface Times {
  first: number[];
  whole: number[];
}

let calls = 0;

async function measure(computer: Computer, rounds: number, pauseMs: number): Promise<Times> {
  const times: Times = { first: [], whole: [] };
  for (let round = 0; round < rounds; round++) {
    await delay(pauseMs);
    await measureCall(
      computer,
      "shell__run_command",
      { command: "echo first; cat *.txt | wc -l; echo x >> a.txt" },
      times,
    );
  }
  return times;
}

async function measureReads(computer: Computer, rounds: number): Promise<Times> {
  const times: Times = { first: [], whole: [] };
  for (let round = 0; round < rounds; round++)
    await measureCall(computer, "files__read", { path: "a.txt" }, times);
  return times;
}

async function measureCall(
  computer: Computer,
  name: string,
  args: Record<string, string>,
  times: Times,
): Promise<void> {
  const startMs = performance.now();
  let firstMs: number | undefined;
  const call = { id: `call_${++calls}`, name, args, epoch: 1 };
  const show = () => {
    firstMs ??= performance.now() - startMs;
  };
  const outcome = await computer.execute(call, show, new AbortController().signal);
  if (!("result" in outcome)) throw new Error(JSON.stringify(outcome));
  times.whole.push(performance.now() - startMs);
  if (firstMs !== undefined) times.first.push(firstMs);
}

async function measureNode(rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startMs = performance.now();
    await once(spawn(process.execPath, ["-e", "0"], { env: {} }), "exit");
    times.push(performance.now() - startMs);
  }
  return times;
}

/** Returns whether the target is missed. */
async function report(name: string, times: number[], target?: number): Promise<boolean> {
  const sorted = times.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
  const load = (await readFile("/proc/loadavg", "utf8").catch(() => "?")).split(" ")[0];
  const verdict =
    target === undefined ? "" : median <= target ? `target ${target} ms` : `MISSED: target ${target} ms`;
  console.log(
    `${name.padEnd(38)} ${median.toFixed(1).padStart(8)} ms  p95 ${p95.toFixed(1).padStart(8)} ms  load ${load}  ${verdict}`,
  );
  return target !== undefined && median > target;
}

await main(process.argv.slice(2));
