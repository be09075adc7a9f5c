import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Distribution, distributionOf } from "./timing.ts";

const run = promisify(execFile);
const script = fileURLToPath(new URL("./fresh.ts", import.meta.url));

/** Loads the compiler and compiles once in a fresh process; for comparison, does the same with the YAML library. */
export async function measureFresh(times: number): Promise<{ yaml: Distribution; compile: Distribution }> {
  const samples = { yaml: [] as number[], compile: [] as number[] };
  for (let round = 0; round < times; round++) {
    for (const what of ["yaml", "compile"] as const) {
      const { stdout } = await run(process.execPath, [script, what]);
      samples[what].push(Number(stdout));
    }
  }
  return { yaml: distributionOf(samples.yaml), compile: distributionOf(samples.compile) };
}
