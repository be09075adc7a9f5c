import { resolve } from "node:path";
import { startHelper } from "../support/processes.ts";
import { measureAges, reportAges } from "./ages.ts";
import { startTarget, targetNames } from "./targets.ts";

// Servers of the same age that take turns, and the ratio of each to the first one.
// Usage: node bench/stream/compare.ts <repetitions> <target or checkout of Muster>...
//   for example: node bench/stream/compare.ts 5 bare ../muster-before .

const repeats = Number(process.argv[2]);
const names = process.argv.slice(3);
const provider = await startHelper(new URL("provider.ts", import.meta.url));
try {
  const contenders = names.map((name) => {
    const known = targetNames.find((target) => target === name);
    const options = { provider: provider.port, ...(known === undefined && { checkout: resolve(name) }) };
    return { name, start: () => startTarget(known ?? "muster", options) };
  });
  reportAges(await measureAges(contenders, repeats), names);
} finally {
  await provider.stop();
}
