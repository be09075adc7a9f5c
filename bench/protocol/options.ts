import { parseArgs } from "node:util";

export interface BenchOptions {
  quick: boolean;
  /** The seed for generated definitions. */
  count: number;
  seed: number;
}

export const usage = `npm run bench:protocol -- [--quick] [--count 10000] [--seed 1]
  --quick  fewer rounds and 1,000 generated definitions: for a look, not for figures
  --count  how many definitions are generated
  --seed   which ones; a random one unless given, and always printed`;

/** @throws Error for an unknown flag or an invalid number, with a message for the user. */
export function readOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      count: { type: "string" },
      seed: { type: "string" },
    },
  });
  const { quick } = values;
  return {
    quick,
    count: wholeNumber("--count", values.count) ?? (quick ? 1_000 : 10_000),
    seed: wholeNumber("--seed", values.seed) ?? Math.floor(Math.random() * 2 ** 31),
  };
}

function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${flag} needs a whole number, not ${text}`);
  return Number(text);
}
