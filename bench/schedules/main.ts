/** How soon 1,000 schedules that are due in the same minute have started their threads; see `bench/README.md`. */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { record } from "@muster/testing";
import { Api } from "../support/api.ts";
import { percentile, print, printAtMost } from "../support/figures.ts";
import { listen } from "../support/provider.ts";
import { createHome } from "../support/server.ts";

const targetMs = 10_000;
const perAgent = 50;

const { values } = parseArgs({
  options: {
    schedules: { type: "string", default: "1000" },
    /** A folder for CPU profiles of Muster. */
    profile: { type: "string" },
  },
});
const count = Number(values.schedules);

/** Models that never answer, so that the figures are those of dispatches. */
const models = createServer(() => undefined);
const modelsUrl = `http://127.0.0.1:${await listen(models)}`;
const env = { LOG_LEVEL: "error", MODEL_FIRST_PART_TIMEOUT_MS: "600000" };
const home = await createHome({ models: modelsUrl, env, profile: values.profile });
const server = await home.start();
const api = new Api(server.url, home.key, 16);

/** The whole minute at which all of them are due: late enough to create them before. */
const due = new Date((Math.floor(Date.now() / 60_000) + (count > 500 ? 2 : 1)) * 60_000);

async function createAll(): Promise<string[]> {
  const agents = await Promise.all(
    Array.from({ length: Math.ceil(count / perAgent) }, (_, index) => {
      const agent = { name: `Ann ${index}`, prebuilt: "log-analyst", settings: { model: "local/busy" } };
      return api.create("/api/admin/workforce/agents", agent, "agentId");
    }),
  );
  const numbers = Array.from({ length: count }, (_, index) => index);
  return Promise.all(
    numbers.map(async (index) => {
      const path = `/api/admin/workforce/agents/${agents[index % agents.length]}/schedules`;
      const schedule = { name: `Report ${index}`, at: due.toISOString(), timezone: "UTC", message: "Wait." };
      return `${path}/${await api.create(path, schedule, "id")}/runs`;
    }),
  );
}

/** The status of the only run of a schedule, and the list of its agent's threads. Undefined: it is not settled. */
async function runOf(path: string): Promise<{ status: string; threadPath: string } | undefined> {
  const { runs } = await api.json("GET", path);
  const [run] = Array.isArray(runs) ? runs.map(record) : [];
  if (run === undefined || run.status === "pending") return undefined;
  const agent = path.slice(0, path.indexOf("/schedules"));
  return { status: String(run.status), threadPath: `${agent}/threads?limit=100` };
}

try {
  const paths = await createAll();
  if (Date.now() >= due.getTime()) throw new Error("The schedules were not created in time");
  await sleep(due.getTime() - Date.now() + 2 * targetMs);
  let runs = await Promise.all(paths.map(runOf));
  for (let waits = 0; runs.includes(undefined) && waits < 10; waits++) {
    await sleep(targetMs);
    runs = await Promise.all(paths.map(runOf));
  }
  const fired = runs.filter((run) => run?.status === "fired");
  print({
    ...{ name: "threads that were started, of one schedule each", values: [fired.length] },
    ...{ note: `of ${count}`, isReached: fired.length === count },
  });
  const delays: number[] = [];
  for (const path of new Set(fired.map((run) => run?.threadPath ?? ""))) {
    const { threads } = await api.json("GET", path);
    for (const thread of Array.isArray(threads) ? threads.map(record) : [])
      delays.push(Date.parse(String(thread.createdAt)) - due.getTime());
  }
  print({ name: "from the time to the thread, median (ms)", values: [percentile(delays, 0.5)] });
  printAtMost("from the time to the last thread", Math.max(...delays), targetMs, "ms");
} finally {
  await api.close();
  await server.stop();
  await home.remove();
  models.closeAllConnections();
  models.close();
}
