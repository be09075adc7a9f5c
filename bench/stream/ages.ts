import { cpus } from "node:os";
import { median, percentile, print } from "../support/figures.ts";
import { run, verify } from "./measure.ts";
import type { Pace } from "./pace.ts";
import type { Target } from "./targets.ts";

/** The turns that a server has served when a block of measured turns begins. */
const ages = [0, 1_000, 5_000];
const blockTurns = 300;
/** The turns of a single client, and those of the paced provider. */
const singleTurns = 60;
const pacedTurns = 18;
const pacedBlocks = 6;

/** A server to compare: `start` starts a fresh one. */
export interface Contender {
  name: string;
  start(): Promise<Target>;
}

/** By figure and then by contender: one value for each repetition. */
export type AgeFigures = Map<string, Map<string, number[]>>;

/**
 * Starts all contenders afresh for each repetition and takes them through the same turns, by turns: 300 of 32 clients at
 * each age, and at an age of 1,000 also a single client and three clients, fast and paced. V8 compiles a function after
 * hundreds of calls, so only servers that have done the same work can be compared.
 */
export async function measureAges(contenders: readonly Contender[], repeats: number): Promise<AgeFigures> {
  const figures: AgeFigures = new Map();
  for (let repeat = 0; repeat < repeats; repeat++) {
    console.error(`servers of the same age: repetition ${repeat + 1} of ${repeats}`);
    await measureOnce(repeat % 2 === 0 ? contenders : contenders.toReversed(), figures);
  }
  return figures;
}

interface Running {
  name: string;
  target: Target;
  served: number;
}

/** A figure of one block of turns. Those of several blocks are kept as their mean. */
interface Block {
  figure: string;
  blocks?: number;
  measure(running: Running): Promise<number>;
}

/** Each block goes through all contenders before the next one begins: the machine changes its speed within minutes. */
async function measureOnce(contenders: readonly Contender[], figures: AgeFigures): Promise<void> {
  const running: Running[] = [];
  try {
    for (const { name, start } of contenders) running.push({ name, target: await start(), served: 0 });
    for (const age of ages) {
      for (const each of running) if (each.served < age) await burst(each, age - each.served, 32);
      for (const { figure, blocks = 1, measure } of blocksAt(age)) {
        const sums = new Map<string, number>();
        for (let block = 0; block < blocks; block++)
          for (const each of block % 2 === 0 ? running : running.toReversed())
            sums.set(each.name, (sums.get(each.name) ?? 0) + (await measure(each)));
        for (const [name, sum] of sums) keep(figures, figure, name, sum / blocks);
      }
    }
    for (const { target } of running) await verify(target);
  } finally {
    for (const { target } of running) await target.stop();
  }
}

function keep(figures: AgeFigures, figure: string, name: string, value: number): void {
  const values = figures.get(figure) ?? new Map<string, number[]>();
  figures.set(figure, values);
  values.set(name, [...(values.get(name) ?? []), value]);
}

function burst(running: Running, count: number, concurrency: number, pace: Pace = "bench") {
  running.served += count;
  return run(running.target, pace, { count, concurrency });
}

function blocksAt(age: number): Block[] {
  const turns = `turns ${(age + 1).toLocaleString("en")} to ${(age + blockTurns).toLocaleString("en")}`;
  const throughput: Block = {
    figure: `streams/s, 32 clients, ${turns}`,
    measure: async (each) => (blockTurns * 1_000) / (await burst(each, blockTurns, 32)).durationMs,
  };
  const cpu = (figure: string, count: number, concurrency: number, pace?: Pace): Block => ({
    figure,
    measure: async (each) => (await burst(each, count, concurrency, pace)).cpuMs / count,
  });
  if (age !== 1_000) return [throughput];
  return [
    throughput,
    cpu("CPU ms per stream, 32 clients", blockTurns, 32),
    {
      figure: "first delta, 1 client (ms)",
      measure: async (each) => median((await burst(each, singleTurns, 1)).firstDeltaMs),
    },
    cpu("CPU ms per stream, 3 clients", blockTurns, 3),
    {
      ...cpu("CPU ms per stream, 3 clients, a delta every 8 ms", pacedTurns, 3, "bench-even"),
      blocks: pacedBlocks,
    },
  ];
}

/** The ratios of Muster to the bare server that are aimed at: of streams/s at least, of times at most. */
const goals: Record<string, number> = {
  "streams/s, 32 clients, turns 1 to 300": 1.5,
  "streams/s, 32 clients, turns 1,001 to 1,300": 2,
  "streams/s, 32 clients, turns 5,001 to 5,300": 2.5,
  "first delta, 1 client (ms)": 1.1,
  "CPU ms per stream, 3 clients": 1.3,
  "CPU ms per stream, 3 clients, a delta every 8 ms": 0.85,
};

/**
 * Prints each figure of each contender, and its ratio to that of the first one: the median of the repetitions, and the
 * quartiles.
 */
export function reportAges(figures: AgeFigures, names: readonly string[]): void {
  const [cpu] = cpus();
  console.log(`${cpu?.model ?? "unknown processor"}. Never compare runs on different models.`);
  const [first = ""] = names;
  print({ name: "", values: names });
  for (const [figure, values] of figures) {
    const yardstick = values.get(first) ?? [];
    const ratios = new Map(
      [...values].map(([name, own]) => [
        name,
        own.map((value, repeat) => value / (yardstick[repeat] ?? Number.NaN)),
      ]),
    );
    const spread = names.slice(1).map((name) => {
      const own = ratios.get(name) ?? [];
      const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => percentile(own, share).toFixed(2));
      return `${name} x${middle} (${low} to ${high})`;
    });
    const goal = first === "bare" ? goals[figure] : undefined;
    const reached = median(ratios.get("muster") ?? []);
    print({
      name: figure,
      values: names.map((name) => median(values.get(name) ?? [])),
      note: [...spread, ...(goal === undefined ? [] : [`goal ${goal}`])].join(", "),
      isReached:
        goal && reached ? (figure.startsWith("streams") ? reached >= goal : reached <= goal) : undefined,
    });
  }
}
