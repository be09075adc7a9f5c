// Updates a cluster under load: npm run test:upgrade -- [--ref HEAD^] [--seconds 60] [--part rolling|all-at-once|open-streams|killed|side-by-side]
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { readExample } from "@muster/local/testing/example";
import { checkOut } from "./test/support/cluster/checkout.ts";
import { Cluster, type Instance, type Member } from "./test/support/cluster/cluster.ts";
import { Edge } from "./test/support/cluster/edge.ts";
import { followTurn } from "./test/support/cluster/follow-turn.ts";
import { type Caller, Load } from "./test/support/cluster/load.ts";

const { values } = parseArgs({
  options: {
    ref: { type: "string", default: "HEAD^" },
    seconds: { type: "string", default: "60" },
    part: { type: "string" },
  },
});
const sideBySideMs = Number(values.seconds) * 1_000;
const openStreams = 200;
const exitWithinMs = 20_000;
/** In the order in which docs/running.md updates them. */
const order: Member[] = ["auth", "agents", "sessions", "workforce", "recorder", "gateway"];

const problems: string[] = [];

try {
  const previous = await checkOut(values.ref);
  try {
    console.log(`the previous version is ${previous.commit}`);
    if (has("all-at-once")) await inCluster(previous.root, replaceAllAtOnce);
    // In another cluster, since everything in the first one is of this version now.
    if (values.part !== "all-at-once") await inCluster(previous.root, runOthers);
  } finally {
    await previous.remove();
  }
} catch (error) {
  problems.push(error instanceof Error ? error.message : String(error));
}
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? "everything as it should be" : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

function has(part: string): boolean {
  return values.part === undefined || values.part === part;
}

async function runOthers(tested: Tested): Promise<void> {
  if (has("rolling")) await replaceAll(tested);
  if (has("open-streams")) {
    await endWithOpenStreams(tested, "gateway");
    await endWithOpenStreams(tested, "sessions");
  }
  if (has("killed")) await endWithOpenStreams(tested, "sessions", kill);
  if (has("side-by-side")) await runSideBySide(tested);
}

interface Tested {
  cluster: Cluster;
  edge: Edge;
  agentId: string;
  previousRoot: string;
}

/** A cluster with two instances of each program, both of the previous version. */
async function inCluster(root: string, run: (tested: Tested) => Promise<void>): Promise<void> {
  const cluster = await Cluster.start({ DEMO_WORD_DELAY_MS: "250" });
  const edge = new Edge(() => cluster.of("gateway").map(({ address }) => address), cluster.adminKey);
  try {
    for (const member of order) await Promise.all([cluster.add(member, root), cluster.add(member, root)]);
    for (const { address } of cluster.of("gateway")) {
      while (!(await fetch(`${address}/readyz`)).ok) await delay(100);
    }
    const { agentId } = await edge.json("POST", "/api/agents", await readExample("support-chat"));
    await run({ cluster, edge, agentId: String(agentId), previousRoot: root });
  } finally {
    await edge.close();
    await cluster.destroy();
  }
}

/** Requests to each service, and conversations. */
async function startLoad({ edge, agentId }: Tested, words: number): Promise<Load> {
  const { sessionId } = await edge.json("POST", "/api/agent-sessions", { agentId });
  const hired = await edge.json("POST", "/api/admin/workforce/agents", {
    name: "Lou",
    prebuilt: "log-analyst",
  });
  const paths = [
    `/api/agents/${agentId}`,
    `/api/agent-sessions/${sessionId}`,
    "/api/admin/keys",
    `/api/admin/workforce/agents/${hired.agentId}`,
  ];
  const callers = paths.map(
    (path): Caller =>
      (each) =>
        each.json("GET", path),
  );
  const open: Caller = (each) => each.json("POST", "/api/agent-sessions", { agentId });
  return new Load(edge, { callers: [...callers, open], streams: 6, words, agentId });
}

function report(what: string, load: Load, edge: Edge): void {
  const { requests, turns, resumed, handOvers, failures } = load;
  console.log(
    `${what}: ${requests} requests and ${turns} whole turns, ${handOvers} times continued by another process, ${resumed} times by their reader; ` +
      `${edge.retried.length} requests were sent once more, ${failures.length} requests or turns failed`,
  );
  listRetried(edge);
  problems.push(...failures.map((failure) => `${what}: ${failure}`));
}

function listRetried(edge: Edge): void {
  for (const retried of edge.retried.splice(0)) console.log(`  sent once more: ${retried}`);
}

/** A rolling update of everything to this version, and a rolling restart of it. */
async function replaceAll(tested: Tested): Promise<void> {
  const { cluster, edge } = tested;
  const load = await startLoad(tested, 30);
  for (const what of ["update", "restart"]) {
    for (const member of order) {
      for (const old of cluster.of(member)) {
        await cluster.add(member);
        await end(cluster, old);
      }
    }
    console.log(`${what}: every process was replaced`);
  }
  await load.stop();
  report("rolling updates", load, edge);
}

/** Replaces instances like `helm upgrade`: those of each program one by one, and all programs at the same time. */
async function replaceAllAtOnce(tested: Tested): Promise<void> {
  const { cluster, edge } = tested;
  const load = await startLoad(tested, 30);
  const replace = async (member: Member) => {
    for (const old of cluster.of(member)) {
      await cluster.add(member);
      await end(cluster, old);
    }
  };
  await Promise.all(order.map(replace));
  await load.stop();
  report("all programs at the same time", load, edge);
}

async function end(cluster: Cluster, instance: Instance): Promise<void> {
  const { code, tookMs } = await cluster.stop(instance);
  const took = `${instance.member} exited with ${code} after ${(tookMs / 1_000).toFixed(1)} s`;
  console.log(`  ${took}`);
  if (code !== 0 || tookMs > exitWithinMs) problems.push(`${took}: ${instance.process.output.slice(-2_000)}`);
}

/**
 * The state after `kill -9`, or after the loss of its machine. Readers do not notice: gateways continue its streams.
 */
async function kill(cluster: Cluster, instance: Instance): Promise<void> {
  await cluster.kill(instance);
  console.log(`  ${instance.member} was killed`);
}

/** One of two instances ends while 200 streams are open; each continues to its end. */
async function endWithOpenStreams(
  { cluster, edge, agentId }: Tested,
  member: Member,
  how: (cluster: Cluster, instance: Instance) => Promise<void> = end,
): Promise<void> {
  const words = 100;
  let resumes = 0;
  let handOvers = 0;
  let turns = 0;
  const failures: string[] = [];
  const converse = async () => {
    const { sessionId } = await edge.json("POST", "/api/agent-sessions", { agentId });
    const followed = await followTurn(edge, String(sessionId), words);
    resumes += followed.resumes;
    handOvers += followed.handOvers;
    turns++;
  };
  const streams = Array.from({ length: openStreams }, () =>
    converse().catch((error: unknown) => failures.push(`${member} with open streams: ${error}`)),
  );
  // Their turns take 25 s, so none has ended by then, and some last longer than the drain of a busy process.
  await delay(5_000);
  const [first] = cluster.of(member);
  await cluster.add(member);
  if (first !== undefined) await how(cluster, first);
  await Promise.all(streams);
  if (how === kill && resumes > 0)
    failures.push(`${resumes} readers had to continue streams of a killed ${member}`);
  console.log(
    `${member} ended with ${openStreams} open streams: ${turns} whole turns, ${handOvers} times continued by another process, ${resumes} times by their reader`,
  );
  listRetried(edge);
  problems.push(...failures);
}

/** One instance of each program is of this version, the other of the previous one. */
async function runSideBySide(tested: Tested): Promise<void> {
  const { cluster, edge } = tested;
  for (const member of order) {
    const [first, second] = cluster.of(member);
    await Promise.all([cluster.add(member), cluster.add(member, tested.previousRoot)]);
    for (const old of [first, second]) if (old !== undefined) await cluster.stop(old);
  }
  const load = await startLoad(tested, 10);
  await delay(sideBySideMs);
  await load.stop();
  report(`${values.seconds} s side by side`, load, edge);
  for (const sessionId of load.sessions) {
    await followTurn(edge, sessionId, 3).catch((error: unknown) =>
      problems.push(`the session ${sessionId} cannot be used any more: ${error}`),
    );
  }
}
