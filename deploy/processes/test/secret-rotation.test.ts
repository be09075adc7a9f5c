import assert from "node:assert/strict";
import { readExample } from "@muster/local/testing/example";
import { until } from "@muster/testing";
import { afterAll, beforeAll, test } from "vitest";
import { Cluster, type Member } from "./support/cluster/cluster.ts";
import { Edge } from "./support/cluster/edge.ts";
import { type Caller, Load } from "./support/cluster/load.ts";

const [old, next] = ["the old secret".padEnd(32, "."), "the next secret".padEnd(32, ".")];
/** `npm run test:long` also replaces the agents and the sessions process, whose turns are part of the load. */
const isLong = process.env.LONG_RUN !== undefined;
/** The steps that docs/operations.md describes. The suite begins after the first, in which all still sign with the old secret. */
const [initial = old, ...steps] = [old, `${old},${next}`, `${next},${old}`, next].slice(isLong ? 0 : 1);
const members: Member[] = ["auth", ...(isLong ? (["agents", "sessions"] as const) : []), "gateway"];

let cluster: Cluster;
let edge: Edge;

/** One more process of each program, with this MUSTER_PRINCIPAL_SECRET. */
function addSet(secrets: string) {
  const add = (member: Member) => cluster.add(member, undefined, { MUSTER_PRINCIPAL_SECRET: secrets });
  return Promise.all(members.map(add));
}

beforeAll(async () => {
  cluster = await Cluster.start();
  await addSet(initial);
  edge = new Edge(() => cluster.of("gateway").map(({ address }) => address), cluster.adminKey);
});

afterAll(async () => {
  await edge?.close();
  await cluster?.destroy();
});

test("under load, new processes with the next secret that signs principals replace the old ones step by step, no request fails, and in the end a process with the old one blames no client", async () => {
  const read =
    (path: string): Caller =>
    (each) =>
      each.json("GET", path);
  const callers = [read("/api/admin/keys"), read("/api/admin/keys")];
  let agentId = "";
  if (isLong) {
    const agent = await edge.json("POST", "/api/agents", await readExample("support-chat"));
    agentId = String(agent.agentId);
    const { sessionId } = await edge.json("POST", "/api/agent-sessions", { agentId });
    // The sessions service calls the others, with principals of its caller and with its own.
    callers.push(read(`/api/agents/${agentId}`), read(`/api/agent-sessions/${sessionId}`), (each) =>
      each.json("POST", "/api/agent-sessions", { agentId }),
    );
  }
  const streams = isLong ? 1 : 0;
  const load = new Load(edge, { callers, streams, words: 3, agentId });
  const served = async (what: string) => {
    const { requests, turns } = load;
    await until(what, () => load.requests > requests + 20 && load.turns >= turns + streams);
  };
  for (const secrets of steps) {
    const replaced = [...cluster.instances];
    const added = await addSet(secrets);
    await until("all new processes get calls", async () => {
      const services = added.filter(({ member }) => member !== "gateway");
      const received = await Promise.all(services.map((instance) => cluster.received(instance)));
      return received.every(({ calls }) => calls > 2);
    });
    await served("both sets serve");
    const ended = await Promise.all(replaced.map((instance) => cluster.stop(instance)));
    assert.deepEqual(new Set(ended.map(({ code }) => code)), new Set([0]));
    await served("the new set serves alone");
  }
  await load.stop();
  assert.deepEqual(load.failures, []);

  const retired = await cluster.add("gateway", undefined, { MUSTER_PRINCIPAL_SECRET: old });
  const ask = (key: string) =>
    fetch(`${retired.address}/api/admin/keys`, { headers: { authorization: `Bearer ${key}` } });
  for (let i = 0; i < 3; i++) {
    const refused = await ask(cluster.adminKey);
    assert.equal(refused.status, 503);
    assert.match(await refused.text(), /ask the operator.*"code":"UNAVAILABLE"/);
  }
  assert.equal((await ask("svc_sk_wrong")).status, 401);
  const line = /"service":"muster\.auth\.v1\.AuthService".*the same MUSTER_PRINCIPAL_SECRET/g;
  await retired.process.printed(new RegExp(line.source));
  assert.equal(retired.process.output.match(line)?.length, 1);
});
