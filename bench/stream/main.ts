/** Streams of Muster, compared with those of a server that many would build instead; see `bench/README.md`. */
import { parseArgs } from "node:util";
import { startHelper } from "../support/processes.ts";
import { measureAges, reportAges } from "./ages.ts";
import { measureFresh, Samples } from "./measure.ts";
import { report } from "./report.ts";
import { onlyByAge, startTarget, targetNames } from "./targets.ts";

const { values } = parseArgs({
  options: {
    /** One repetition: for a look, not for figures. */
    quick: { type: "boolean", default: false },
    /** Targets, separated by commas. */
    only: { type: "string", default: targetNames.join(",") },
    /** A folder for CPU profiles of Muster under load. */
    profile: { type: "string" },
  },
});
const names = targetNames.filter((name) => values.only.split(",").includes(name));
if (names.length === 0) throw new Error(`--only accepts ${targetNames.join(",")}`);
const repeats = values.quick ? 1 : 5;
const provider = await startHelper(new URL("provider.ts", import.meta.url));
const options = { provider: provider.port };
const fresh = names.filter((name) => !onlyByAge.has(name));
const samples = Object.fromEntries(fresh.map((name) => [name, new Samples()]));
try {
  const { profile } = values;
  const start = (name: (typeof names)[number]) => () => startTarget(name, { ...options, profile });
  reportAges(
    await measureAges(
      names.map((name) => ({ name, start: start(name) })),
      repeats,
    ),
    names,
  );
  for (let round = 0; round < Math.min(repeats, 3); round++)
    for (const name of fresh) {
      console.error(`fresh process: ${name}`);
      await measureFresh(name, samples[name] ?? new Samples(), options);
    }
} finally {
  await provider.stop();
}
report(samples, fresh);
if (values.quick) console.log("A quick run: the numbers are rough.");
