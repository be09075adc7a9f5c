import { cpus } from "node:os";
import { median, percentile, print } from "../support/figures.ts";
import { run, verify } from "./measure.ts";
import type { Target } from "./targets.ts";

/** The turns that a server has served when a block of measured turns begins. */
const ages = [0, 1_000, 5_000];
const blockTurns = 300;
/** The turns of a single client, and those of the paced provider. */
const singleTurns = 60;
const pacedTurns = 48;

/** A server to compare: `start` starts a fresh one. */
export interface Contender {
  name: string;
  start(): Promise<Target>;
}

/** By figure and then by contender: one value for each repetition. */
export type AgeFigures = Map<string, Map<string, number[]>>;

/**
 * Starts all contenders afresh for each repetition and takes them through the same turns, by turns: 300 of 32 clients at each
 * age, and at an age of 1,000 also a single client and three clients, fast and paced. V8 compiles a function after hundreds
 * of calls, so only servers that have done the same work can be compared.
 */
export async function measureAges(contenders: readonly Contender[], repeats: number): Promise<AgeFigures> {
  const figures: AgeFigures = new Map();
  for (let repeat = 0; repeat < repeats; repeat++) {
    console.error(`servers of the same age: repetition ${repeat + 1} of ${repeats}`);
    await measureOnce(repeat % 2 === 0 ? contenders : contenders.toReversed(), figures);
  }
  return figures;
}

async function measureOnce(contenders: readonly Contender[], figures: AgeFigures): Promise<void> {
  const running: Array<{ name: string; target: Target; served: number }> = [];
  try {
    for (const { name, start } of contenders) running.push({ name, target: await start(), served: 0 });
    for (const age of ages)
      for (const each of running) {
        const keep = (figure: string, value: number) => {
          const values = figures.get(figure) ?? new Map<string, number[]>();
          figures.set(figure, values);
          values.set(each.name, [...(values.get(each.name) ?? []), value]);
        };
        await measureAt(age, each, keep);
      }
    for (const { target } of running) await verify(target);
  } finally {
    for (const { target } of running) await target.stop();
  }
}

async function measureAt(
  age: number,
  each: { target: Target; served: number },
  keep: (figure: string, value: number) => void,
): Promise<void> {
  const burst = async (count: number, concurrency: number) => {
    each.served += count;
    return run(each.target, "bench", { count, concurrency });
  };
  if (each.served < age) await burst(age - each.served, 32);
  const turns = `turns ${(age + 1).toLocaleString("en")} to ${(age + blockTurns).toLocaleString("en")}`;
  const block = await burst(blockTurns, 32);
  keep(`streams/s, 32 clients, ${turns}`, (blockTurns * 1_000) / block.durationMs);
  keep(`CPU ms per stream, 32 clients, ${turns}`, block.cpuMs / blockTurns);
  if (age !== 1_000) return;
  const single = await burst(singleTurns, 1);
  keep("first delta, 1 client (ms)", median(single.firstDeltaMs));
  keep("CPU ms per stream, 3 clients", (await burst(blockTurns, 3)).cpuMs / blockTurns);
  each.served += pacedTurns;
  const paced = await run(each.target, "bench-even", { count: pacedTurns, concurrency: 3 });
  keep("CPU ms per stream, 3 clients, a delta every 8 ms", paced.cpuMs / pacedTurns);
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
