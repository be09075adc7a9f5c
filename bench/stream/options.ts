import { parseArgs } from "node:util";
import { type TargetName, targetNames } from "./target.ts";

const quickTargets: readonly TargetName[] = ["bare", "unlogged", "triggered", "muster"];

export interface BenchOptions {
  names: TargetName[];
  quick: boolean;
  profile: boolean;
}

export const usage = `npm run bench:stream -- [--quick] [--only ${targetNames.join(",")}] [--profile]
  --quick    fewer rounds and shorter runs, without direct and proxy: for a look, not for figures
  --only     measure these targets only
  --profile  write a CPU profile of Muster under load into bench/results/profile`;

/** @throws Error for an unknown flag or target, with a message for the user. */
export function readOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      profile: { type: "boolean", default: false },
      only: { type: "string" },
    },
  });
  const asked =
    values.only?.split(",").map((name) => name.trim()) ?? (values.quick ? quickTargets : targetNames);
  const unknown = asked.find((name) => !targetNames.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`--only accepts ${targetNames.join(", ")}, not ${unknown}`);
  const names = targetNames.filter((name) => asked.some((one) => one === name));
  return { names, quick: values.quick, profile: values.profile };
}
