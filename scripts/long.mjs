// Runs the long versions of tests: those with ten times as many random cases, and those that only the nightly workflow has
// time for. The suite has a short version of each.
//   npm run test:long -- [--times 10] [packages/engine ...]
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { times: { type: "string", default: "10" } },
});
if (!/^[1-9]\d*$/.test(values.times)) {
  console.error("--times must be a positive whole number");
  process.exit(2);
}
const root = join(import.meta.dirname, "..");
const found = execFileSync("git", ["grep", "-l", "env.LONG_RUN", "--", "*.test.ts"], { cwd: root });
const files = String(found).trim().split("\n");
const chosen = files.filter(
  (file) => positionals.length === 0 || positionals.some((part) => file.includes(part)),
);
const { status } = spawnSync(process.execPath, [join(root, "scripts/test.mjs"), ...chosen], {
  stdio: "inherit",
  env: { ...process.env, LONG_RUN: values.times },
});
process.exitCode = status ?? 1;
