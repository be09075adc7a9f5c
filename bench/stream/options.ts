import { parseArgs } from "node:util";
import { type TargetName, targetNames } from "./target.ts";

export interface BenchOptions {
  names: TargetName[];
  quick: boolean;
  profile: boolean;
}

export const usage = `npm run bench:stream -- [--quick] [--only direct,proxy,muster] [--profile]
  --quick    fewer rounds and shorter runs: for a look, not for figures
  --only     measure these targets only
  --profile  write a CPU profile of Muster under load into bench/results/profile`;

/** @throws Error for an unknown flag or target, with a message for the user. */
export function readOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      profile: { type: "boolean", default: false },
      only: { type: "string", default: targetNames.join(",") },
    },
  });
  const asked = values.only.split(",").map((name) => name.trim());
  const unknown = asked.find((name) => !targetNames.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`--only accepts ${targetNames.join(", ")}, not ${unknown}`);
  const names = targetNames.filter((name) => asked.includes(name));
  return { names, quick: values.quick, profile: values.profile };
}
