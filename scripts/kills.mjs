// Kills processes at random points of their work, and checks that nothing was lost or done twice and that they
// continue: those of the sessions service in conversations, those of both services in runs of workforce agents, or
// recorders.
//   npm run test:kills -- [--kills 60] [--seed NUMBER]
//   npm run test:workforce-kills -- [--kills 60] [--seed NUMBER]
//   npm run test:recorder-kills -- [--kills 60] [--seed NUMBER]
//   npm run test:workforce-fleet -- [--kills 50] [--seed NUMBER], with ten dispatches for each
//   npm run test:computer-run-kills -- [--kills 200] [--seed NUMBER], kills, suspensions and cuts at frames of a computer
//   npm run test:computer-fleet -- [--kills 50], the computers that are connected while one process is killed
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { suite: { type: "string" }, kills: { type: "string" }, seed: { type: "string" } },
});
const KILLS = String(wholeNumber("kills", values.kills ?? "60"));
const KILLS_SEED = String(wholeNumber("seed", values.seed ?? String(Date.now() % 2 ** 31)));
console.log(`kills: ${KILLS} with seed ${KILLS_SEED}; repeat them with --seed ${KILLS_SEED}`);
const { status } = spawnSync(
  process.execPath,
  [join(import.meta.dirname, "test.mjs"), values.suite ?? "services/sessions/test/kills"],
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
