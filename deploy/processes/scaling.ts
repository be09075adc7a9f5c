// Scales each service up and down under load and prints what each instance receives: npm run test:scaling
import { setTimeout as delay } from "node:timers/promises";
import { readExample } from "@muster/local/testing/example";
import { Cluster, type Instance, type Member, type Received } from "./test/support/cluster/cluster.ts";
import { Edge } from "./test/support/cluster/edge.ts";
import { type Caller, Load } from "./test/support/cluster/load.ts";

const newInstanceWithinMs = 10_000;
const maxDeviation = 0.2;
/** Longer than a gateway takes to look a name up again. */
const settleMs = 5_000;
/** Shares are compared after this many calls for each instance; chance alone makes fewer uneven. */
const callsPerInstance = 100;
const words = 5;

const problems: string[] = [];
const cluster = await Cluster.start({ DEMO_WORD_DELAY_MS: "20" });
try {
  const members: Member[] = ["auth", "agents", "sessions", "workforce", "gateway", "gateway"];
  await Promise.all(members.map((member) => cluster.add(member)));
  const edge = new Edge(() => cluster.of("gateway").map(({ address }) => address), cluster.adminKey);
  try {
    await run(edge);
  } finally {
    await edge.close();
    if (problems.length > 0) console.error(cluster.warnings().slice(0, 50).join("\n"));
  }
} finally {
  await cluster.destroy();
}
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? "everything as it should be" : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

async function run(edge: Edge): Promise<void> {
  await untilReady();
  const { agentId } = await edge.json("POST", "/api/agents", await readExample("support-chat"));
  const { sessionId } = await edge.json("POST", "/api/agent-sessions", { agentId });
  const hired = await edge.json("POST", "/api/admin/workforce/agents", {
    name: "Lou",
    prebuilt: "log-analyst",
  });
  const get =
    (path: string): Caller =>
    (each) =>
      each.json("GET", path);
  const open: Caller = (each) => each.json("POST", "/api/agent-sessions", { agentId });
  const readSession = get(`/api/agent-sessions/${sessionId}`);
  const repeat = (caller: Caller, times: number) => Array.from({ length: times }, () => caller);
  const of = { agentId: String(agentId), words };

  await scale(
    "sessions",
    [1, 3, 2],
    { ...of, callers: [...repeat(readSession, 6), ...repeat(open, 2)], streams: 12 },
    edge,
  );
  await scale(
    "agents",
    [1, 2, 1],
    { ...of, callers: repeat(get(`/api/agents/${agentId}`), 4), streams: 0 },
    edge,
  );
  await scale("auth", [1, 2, 1], { ...of, callers: repeat(get("/api/admin/keys"), 4), streams: 0 }, edge);
  const thread = get(`/api/admin/workforce/agents/${hired.agentId}`);
  await scale("workforce", [1, 2, 1], { ...of, callers: repeat(thread, 4), streams: 0 }, edge);
}

async function untilReady(): Promise<void> {
  for (const { address } of cluster.of("gateway")) {
    while (!(await fetch(`${address}/readyz`)).ok) await delay(100);
  }
}

type Counts = [number, number, number];

async function scale(
  member: Member,
  [from, up, down]: Counts,
  options: ConstructorParameters<typeof Load>[1],
  edge: Edge,
): Promise<void> {
  const load = new Load(edge, options);
  await delay(3_000);
  console.log(`\n${member}: ${from} -> ${up} -> ${down}`);
  const added = await Promise.all(Array.from({ length: up - from }, () => cluster.add(member)));
  await untilLoaded(added);
  await showShares(`with ${up}`, member, options.streams > 0);
  const gone = cluster.of(member).slice(0, up - down);
  await Promise.all(gone.map(leave));
  if (down > 1) await showShares(`with ${down}`, member, options.streams > 0);
  await load.stop();
  console.log(
    `${load.requests} requests, ${load.turns} turns, ${load.resumed} streams resumed, ${load.failures.length} failures`,
  );
  problems.push(...load.failures.map((failure) => `${member}: ${failure}`));
  if (edge.retried.length > 0) problems.push(`${member}: ${edge.retried.splice(0).join("; ")}`);
}

async function untilLoaded(added: readonly Instance[]): Promise<void> {
  const startMs = performance.now();
  await Promise.all(
    added.map(async (instance) => {
      while ((await cluster.received(instance)).calls < 5) {
        if (performance.now() - startMs > 3 * newInstanceWithinMs) break;
        await delay(250);
      }
      const tookMs = performance.now() - startMs;
      console.log(`the new instance ${instance.host} gets calls after ${seconds(tookMs)}`);
      if (tookMs > newInstanceWithinMs)
        problems.push(`${instance.address} gets calls only after ${seconds(tookMs)}`);
    }),
  );
}

/** The instance leaves its name, must get no calls within ten seconds, and then stops. */
async function leave(instance: Instance): Promise<void> {
  cluster.leave(instance);
  await delay(newInstanceWithinMs);
  const before = await cluster.received(instance);
  await delay(2_000);
  const { calls } = await cluster.received(instance);
  console.log(
    `the instance ${instance.host} that left its name got ${calls - before.calls} calls in the 2 s after 10 s`,
  );
  if (calls > before.calls) problems.push(`${instance.address} still gets calls after it has left its name`);
  const { code, tookMs } = await cluster.stop(instance);
  console.log(`it exited with ${code} after ${seconds(tookMs)}`);
  if (code !== 0 || tookMs > 20_000)
    problems.push(`${instance.address} exited with ${code} after ${seconds(tookMs)}`);
}

async function showShares(when: string, member: Member, hasStreams: boolean): Promise<void> {
  await delay(settleMs);
  const instances = cluster.of(member);
  const kinds: Array<keyof Received> = hasStreams ? ["calls", "streams"] : ["calls"];
  const startMs = performance.now();
  const before = await Promise.all(instances.map((instance) => cluster.received(instance)));
  const since = async (kind: keyof Received) => {
    const now = await Promise.all(instances.map((instance) => cluster.received(instance)));
    return now.map((each, index) => each[kind] - (before[index]?.[kind] ?? 0));
  };
  for (const kind of kinds) {
    let received = await since(kind);
    for (; sum(received) < callsPerInstance * instances.length; received = await since(kind))
      await delay(500);
    const mean = sum(received) / received.length;
    const worst = Math.max(...received.map((each) => Math.abs(each - mean) / mean));
    const tookMs = performance.now() - startMs;
    console.log(
      `${when}: ${kind} in ${seconds(tookMs)}: ${received.join(", ")}; at most ${Math.round(worst * 100)} % from their mean`,
    );
    if (worst > maxDeviation)
      problems.push(`${member} ${when}: the ${kind} are spread unevenly: ${received.join(", ")}`);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
