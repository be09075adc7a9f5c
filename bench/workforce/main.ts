/** The cost of the work of workforce agents; see `bench/README.md`. */
import { parseArgs } from "node:util";
import { dispatches } from "./figures/dispatch.ts";
import { firstRequest } from "./figures/first-request.ts";
import { growth } from "./figures/growth.ts";
import { manyRuns } from "./figures/many-runs.ts";
import { reading } from "./figures/reading.ts";
import { queuedVideos, recordingCost } from "./figures/recordings.ts";
import { takeover } from "./figures/takeover.ts";
import { waiting } from "./figures/waiting.ts";
import { startModel } from "./model.ts";
import { prepare } from "./prepared-site.ts";

const inOneProcess = ["growth", "first", "reading", "many", "waiting", "dispatch"];
const figures = [...inOneProcess, "recordings", "takeover"];

const { values } = parseArgs({
  options: {
    /** Fewer rounds: less than three minutes. */
    quick: { type: "boolean", default: false },
    /** Figures, separated by commas. */
    only: { type: "string", default: figures.join(",") },
    /** A folder for CPU profiles of Muster. */
    profile: { type: "string" },
  },
});
const chosen = values.only.split(",");
if (chosen.some((name) => !figures.includes(name))) throw new Error(`--only accepts ${figures.join(",")}`);
const has = (figure: string) => chosen.includes(figure);
const amount = (quick: number, full: number) => (values.quick ? quick : full);

const model = await startModel();
try {
  if (inOneProcess.some(has)) await measureInOneProcess();
  if (has("recordings")) {
    await recordingCost(model, amount(6, 20));
    await queuedVideos(model, amount(3, 7), amount(500, 1_000));
  }
  if (has("takeover")) await takeover(model, amount(2, 8));
} finally {
  await model.stop();
}

async function measureInOneProcess(): Promise<void> {
  const prepared = await prepare(model, 100, values.profile);
  const { site } = prepared;
  try {
    if (has("growth")) await growth(prepared, model, amount(8, 20));
    if (has("first")) await firstRequest(prepared, model, amount(30, 200));
    if (has("reading")) await reading(prepared, amount(3, 10));
    if (has("many")) await manyRuns(prepared, model);
    if (!has("waiting") && !has("dispatch")) return;
    const running = await site.startRuns(20);
    if (has("waiting")) await waiting(site, running);
    if (has("dispatch")) await dispatches(site, running, amount(1_500, 6_000));
  } finally {
    await site.close();
  }
}
