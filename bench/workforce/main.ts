/** What the work of workforce agents costs; see `bench/README.md`. */
import { parseArgs } from "node:util";
import { Api, type Hired } from "./api.ts";
import { dispatched, dispatches, durability } from "./figures/dispatch.ts";
import { firstRequest } from "./figures/first-request.ts";
import { growth } from "./figures/growth.ts";
import { manyRuns } from "./figures/many-runs.ts";
import { reading } from "./figures/reading.ts";
import { queuedVideos, recordingCost } from "./figures/recordings.ts";
import { takeover } from "./figures/takeover.ts";
import { type Running, waiting } from "./figures/waiting.ts";
import { type Model, startModel } from "./model.ts";
import { print } from "./report.ts";
import { seedConversation, seedThreads } from "./seed.ts";
import { createHome, type Home, type Server } from "./server.ts";

const figures = [
  "growth",
  "first",
  "reading",
  "waiting",
  "dispatch",
  "many",
  "takeover",
  "recordings",
] as const;
type Figure = (typeof figures)[number];

const usage = `npm run bench:workforce -- [--quick] [--only ${figures.join(",")}] [--profile folder]
  --quick    fewer rounds: less than three minutes
  --only     these figures
  --profile  writes CPU profiles of Muster there`;

const busyAgents = 20;
const messages = 200;
const finished = { few: 100, many: 10_000 };
const connections = 32;

interface Options {
  isQuick: boolean;
  has(figure: Figure): boolean;
  profile: string | undefined;
}

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      profile: { type: "string" },
    },
  });
  const only = values.only?.split(",");
  const unknown = only?.find((name) => !figures.some((figure) => figure === name));
  if (unknown !== undefined) throw new Error(`The figure ${unknown} does not exist`);
  const has = (figure: Figure) => only === undefined || only.includes(figure);
  const model = await startModel();
  try {
    await inOneProcess(model, { isQuick: values.quick, has, profile: values.profile });
    if (has("recordings")) await recordings(model, values.quick);
    if (has("takeover")) print(await takeover(model, values.quick ? 2 : 8));
  } finally {
    await model.stop();
  }
}

async function inOneProcess(model: Model, options: Options): Promise<void> {
  const { isQuick, has } = options;
  const small = await prepare(model, finished.few, options.profile);
  try {
    if (has("growth")) await compareGrowth(small, model, isQuick);
    const { server, api, home, agent, longThreadId } = small;
    if (has("first")) print(await firstRequest(api, model, agent, isQuick ? 30 : 200));
    if (has("reading")) {
      const thread = { threadId: longThreadId, messages };
      for (const row of await reading(server, api, agent, thread, isQuick ? 3 : 10)) print(row);
    }
    if (has("many")) {
      const agents = await hireMany(small, 200);
      print(await manyRuns(server, api, model, agents));
    }
    const running = await startRuns(small, model);
    if (has("waiting")) for (const row of await waiting(server, api, running)) print(row);
    if (has("dispatch")) {
      const count = isQuick ? 1_500 : 6_000;
      const agents = running.map((one) => one.agent);
      for (const row of await dispatches(server, api, agents, count)) print(row);
      await (options.profile === undefined ? server.kill() : server.stop());
      await restart(small);
      print(await durability(home, small.api, agents, dispatched(count)));
    }
  } finally {
    await tearDown(small);
  }
}

/** What recording costs, with servers of their own: in the first one, nothing renders. */
async function recordings(model: Model, isQuick: boolean): Promise<void> {
  const alone = await freshServer(model, { RECORDER_CONCURRENCY: "0" });
  try {
    const agent = await alone.api.hire(alone.home.key, alone.definitionId, "Lou");
    print(await recordingCost(alone.server, alone.api, agent, isQuick ? 6 : 20));
  } finally {
    await tearDown(alone);
  }
  const rendering = await freshServer(model, { RECORDER_CONCURRENCY: "1" });
  try {
    const recorded = await hireMany(rendering, 10);
    const busy = (await startRuns(rendering, model)).map((running) => running.agent);
    const amounts = isQuick ? { rounds: 3, count: 500 } : { rounds: 7, count: 1_000 };
    print(await queuedVideos(rendering.server, rendering.api, { recorded, busy }, amounts));
  } finally {
    await tearDown(rendering);
  }
}

async function freshServer(model: Model, settings: Record<string, string>): Promise<Serving> {
  const home = await createHome(model.baseUrl, undefined, settings);
  const server = await home.start();
  const api = new Api(server.url, connections);
  return { home, server, api, definitionId: await api.define(home.key) };
}

interface Serving {
  home: Home;
  server: Server;
  api: Api;
  definitionId: string;
}

/** A server whose agent has finished threads; one of them is long. */
interface Prepared extends Serving {
  agent: Hired;
  threadId: string;
  longThreadId: string;
}

async function prepare(model: Model, copies: number, profile: string | undefined): Promise<Prepared> {
  const home = await createHome(model.baseUrl, profile);
  const server = await home.start();
  const api = new Api(server.url, connections);
  const definitionId = await api.define(home.key);
  const agent = await api.hire(home.key, definitionId, "Lou");
  const [threadId, longThreadId] = [
    await api.dispatch(agent, "Work"),
    await api.dispatch(agent, "Work long"),
  ];
  for (const id of [threadId, longThreadId]) await api.completed(agent, id);
  await api.close();
  await server.stop();
  await seedThreads(home, { threadId, copies: copies - 2 });
  await seedConversation(home, longThreadId, messages);
  const prepared = { home, server, api, definitionId, agent, threadId, longThreadId };
  await restart(prepared);
  return prepared;
}

async function restart(prepared: Prepared): Promise<void> {
  await prepared.api.close();
  prepared.server = await prepared.home.start();
  prepared.api = new Api(prepared.server.url, connections);
}

async function tearDown({ api, server, home }: Serving): Promise<void> {
  await api.close();
  await server.stop();
  await home.remove();
}

async function compareGrowth(small: Prepared, model: Model, isQuick: boolean): Promise<void> {
  const large = await prepare(model, finished.many, undefined);
  try {
    const sides = [];
    for (const [side, count] of [
      [small, finished.few],
      [large, finished.many],
    ] as const) {
      const { server, api, agent, threadId } = side;
      await hold(side, agent, model);
      sides.push({ server, api, agent, threadId, finished: count });
    }
    const [few, many] = sides;
    if (few && many) for (const row of await growth(few, many, isQuick ? 8 : 20)) print(row);
  } finally {
    await tearDown(large);
  }
  // Its agent has a queue now.
  small.agent = await small.api.hire(small.home.key, small.definitionId, "Max");
}

let marks = 0;

/** A thread of the agent whose run waits for its model. */
async function hold({ api }: Serving, agent: Hired, model: Model): Promise<string> {
  const mark = `mark-hold${++marks}x`;
  const threadId = await api.dispatch(agent, `HOLD ${mark}`);
  await model.arrival(mark);
  return threadId;
}

async function startRuns(prepared: Serving, model: Model): Promise<Running[]> {
  const agents = await hireMany(prepared, busyAgents);
  return Promise.all(agents.map(async (agent) => ({ agent, threadId: await hold(prepared, agent, model) })));
}

async function hireMany({ api, home, definitionId }: Serving, count: number): Promise<Hired[]> {
  const agents: Hired[] = [];
  for (let index = 0; index < count; index++)
    agents.push(await api.hire(home.key, definitionId, `Agent ${index}`));
  return agents;
}

if (process.argv.includes("--help")) console.log(usage);
else
  await main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error, `\n${usage}`);
    process.exitCode = 1;
  });
