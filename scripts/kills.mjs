// Kills the sessions process at random points of conversations, and checks that nothing was lost and that it answers.
//   npm run test:kills -- [--kills 60] [--seed NUMBER]
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { kills: { type: "string" }, seed: { type: "string" } } });
const KILLS = String(wholeNumber("kills", values.kills ?? "60"));
const KILLS_SEED = String(wholeNumber("seed", values.seed ?? String(Date.now() % 2 ** 31)));
console.log(`kills: ${KILLS} with seed ${KILLS_SEED}; repeat them with --seed ${KILLS_SEED}`);
const { status } = spawnSync(
  process.execPath,
  [join(import.meta.dirname, "test.mjs"), "services/sessions/test/kills"],
  { stdio: "inherit", env: { ...process.env, KILLS, KILLS_SEED } },
);
process.exitCode = status ?? 1;

/** @param {string} name @param {string} text */
function wholeNumber(name, text) {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`--${name} must be a positive whole number`);
  process.exit(2);
}
