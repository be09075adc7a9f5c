/** What a turn, a read and a rollback cost in conversations of different lengths; see `bench/README.md`. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { startEmbeddedStore } from "@muster/embedded-store";
import { createInProcessBus } from "@muster/events";
import { createModels, readModelsConfig } from "@muster/models";
import { SessionsService, View } from "@muster/proto/sessions";
import {
  callOptions,
  createInProcessTransport,
  createPrincipalSigner,
  createPrincipalVerifier,
  createRpcClient,
} from "@muster/rpc";
import { Secret, silentLogger, systemClock } from "@muster/service";
import { openStore } from "@muster/store";
import { createSessionsService } from "../../services/sessions/src/index.ts";
import { chat } from "../../services/sessions/test/definitions.ts";
import { startFakeAgents } from "../../services/sessions/test/fake-agents.ts";
import { createFakeAuth } from "../../services/sessions/test/fake-auth.ts";
import { seed } from "./seed.ts";

const sizes = [20, 200, 2_000, 20_000];
const rounds = Number(process.argv[2] ?? 31);
const targetRatio = 1.5;
/** Of a session whose context is managed: 20,000 messages against 20. */
const managedTargetRatio = 1.6;
/** Of such a session's first turn on an instance. A chunk is read as a whole; 20 messages are not in a chunk. */
const managedFirstTargetRatio = 2;
/** Sessions of which the first turn is measured, and the messages of each that follow its summary. */
const [firstRounds, firstRecent] = [Math.min(rounds, 9), 20];
/** Of the window, as in the definition below. */
const threshold = 0.8;
const localContextTokens = 32_000;

const closers: Array<() => Promise<unknown>> = [];
const directory = await mkdtemp(join(tmpdir(), "muster-growth-"));
closers.unshift(() => rm(directory, { recursive: true }));
const store = await startEmbeddedStore({ directory });
closers.unshift(() => store.stop());
const seeding = await openStore({ uri: store.uri, database: "growth_sessions", log: silentLogger });
closers.unshift(() => seeding.close());
const worker = new Worker(new URL("provider.ts", import.meta.url));
closers.unshift(() => worker.terminate());
const [provider]: string[] = await once(worker, "message");
const principalSecrets = [new Secret("growth")];
const agents = await startFakeAgents(
  { onTestFinished: (close) => void closers.unshift(close) },
  principalSecrets,
  systemClock,
);
agents.set("agt_chat", [chat]);
const management = `agent:\n  contextManagement: { thresholdPercent: ${threshold} }\n`;
agents.set("agt_managed", [{ ...chat, protocol: chat.protocol.replace("agent:\n", management) }]);
const service = createSessionsService(
  { store: { uri: store.uri, databasePrefix: "growth" }, principalSecrets, localContextTokens },
  {
    bus: createInProcessBus({ log: silentLogger }),
    log: silentLogger,
    models: createModels(readModelsConfig({ LOCAL_BASE_URL: `${provider}/v1` })),
    agents: agents.transport,
    auth: createFakeAuth(principalSecrets, systemClock).transport,
  },
);
await service.start();
closers.unshift(() => service.stop());
const client = createRpcClient(
  SessionsService,
  createInProcessTransport(service.mounted, {
    verifier: createPrincipalVerifier(principalSecrets, systemClock),
    log: silentLogger,
  }),
);
const signer = createPrincipalSigner(principalSecrets, systemClock);

const results: Array<Record<string, number>> = [];
await measure(20);
for (const size of sizes) results.push(await measure(size));
console.table(results);
const [short, , long] = results.map((result) => result["our part of a turn, CPU ms"] ?? 0);
const ratio = Number(long) / Number(short);
console.log(`our part at 2,000 messages: ${ratio.toFixed(2)} times that at 20 (target ${targetRatio})`);
if (ratio > targetRatio) process.exitCode = 1;
await compareManaged();
await compareManagedFirst();
for (const close of closers) await close();
process.exit();

/** The two sessions take turns, so that a busy moment slows both. */
async function compareManaged(): Promise<void> {
  const [few, many] = [await managedSession(20), await managedSession(20_000)];
  const ours: [Spent[], Spent[]] = [[], []];
  let largestPrompt = 0;
  for (let round = 0; round < rounds; round++) {
    for (const [index, sessionId] of [few, many].entries()) {
      const whole = await spent(() => turn(sessionId));
      const text = await (await fetch(`${provider}/`)).text();
      const body: unknown = JSON.parse(text);
      const call = await spent(() => direct(body));
      ours[index]?.push({ cpuMs: whole.cpuMs - call.cpuMs, wallMs: whole.wallMs - call.wallMs });
      largestPrompt = Math.max(largestPrompt, Buffer.byteLength(text) / 4);
    }
  }
  const [short, long] = ours.map((spents) => median(spents).cpuMs);
  const ratio = Number(long) / Number(short);
  const share = largestPrompt / localContextTokens;
  console.log(
    `with contextManagement, our part at 20,000 messages: ${ratio.toFixed(2)} times that at 20 ` +
      `(${round(Number(long))} and ${round(Number(short))} ms of CPU; target ${managedTargetRatio}); ` +
      `the largest request takes ${share.toFixed(2)} of the window (configured: ${threshold})`,
  );
  if (ratio > managedTargetRatio || share > threshold) process.exitCode = 1;
}

/** First turns of sessions that no instance has in memory, which have a summary of all but the last messages. */
async function compareManagedFirst(): Promise<void> {
  const spents: [Spent[], Spent[]] = [[], []];
  for (let round = 0; round < firstRounds; round++) {
    for (const [index, size] of [20, 20_000].entries()) {
      const sessionId = await create("agt_managed");
      await seed(seeding.db, sessionId, size, { through: size - Math.min(size, firstRecent) });
      spents[index]?.push(await spent(() => turn(sessionId)));
    }
  }
  const [short, long] = spents.map((all) => round(median(all).cpuMs));
  const ratio = Number(long) / Number(short);
  console.log(
    `with contextManagement, the first turn on an instance at 20,000 messages: ${ratio.toFixed(2)} times that at 20 ` +
      `(${long} and ${short} ms of CPU; target ${managedFirstTargetRatio})`,
  );
  if (ratio > managedFirstTargetRatio) process.exitCode = 1;
}

/** After the turn that writes the summary, if one is needed. */
async function managedSession(size: number): Promise<string> {
  const sessionId = await create("agt_managed");
  await seed(seeding.db, sessionId, size);
  await turn(sessionId);
  return sessionId;
}

async function measure(size: number): Promise<Record<string, number>> {
  const creations: Spent[] = [];
  for (let round = 0; round < rounds; round++) creations.push(await spent(() => create()));
  const sessionId = await create();
  await seed(seeding.db, sessionId, size);
  const heapBefore = heapMiB();
  const cold = await spent(() => turn(sessionId));
  const heap = heapMiB() - heapBefore;
  const [turns, calls]: [Spent[], Spent[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    turns.push(await spent(() => turn(sessionId)));
    const body: unknown = await (await fetch(`${provider}/`)).json();
    calls.push(await spent(() => direct(body)));
  }
  const holds: Spent[] = [];
  for (let round = 0; round < rounds; round++) holds.push(await longestHold(() => turn(sessionId)));
  const [pages, reads]: [Spent[], Spent[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    pages.push(await spent(() => read(sessionId, 50)));
    reads.push(await spent(() => read(sessionId)));
  }
  const rollbacks: Spent[] = [];
  for (let round = 0; round < rounds; round++) {
    const { json } = await readJson(sessionId, 6);
    const after: string = JSON.parse(`[${json}]`)[0].id;
    rollbacks.push(await spent(() => turn(sessionId, after)));
  }
  const [whole, call] = [median(turns), median(calls)];
  return {
    messages: size,
    "create, CPU ms": round(median(creations).cpuMs),
    "turn, CPU ms": round(whole.cpuMs),
    "our part of a turn, CPU ms": round(whole.cpuMs - call.cpuMs),
    "our part of a turn, ms": round(whole.wallMs - call.wallMs),
    "longest hold of the loop in a turn, CPU ms": round(median(holds).cpuMs),
    "first turn on an instance, CPU ms": round(cold.cpuMs),
    "get 50, CPU ms": round(median(pages).cpuMs),
    "get all, CPU ms": round(median(reads).cpuMs),
    "rollback and turn, CPU ms": round(median(rollbacks).cpuMs),
    "kept in memory, MiB": round(heap),
  };
}

interface Spent {
  /** Of the main thread: the store and the provider have their own. */
  cpuMs: number;
  wallMs: number;
}

async function spent(act: () => Promise<unknown>): Promise<Spent> {
  const [cpu, startMs] = [process.threadCpuUsage(), performance.now()];
  await act();
  const wallMs = performance.now() - startMs;
  const { user, system } = process.threadCpuUsage(cpu);
  return { cpuMs: (user + system) / 1000, wallMs };
}

/** The most that the main thread spent between two rounds of its timers. */
async function longestHold(act: () => Promise<unknown>): Promise<Spent> {
  const longest = { cpuMs: 0, wallMs: 0 };
  let last = process.threadCpuUsage();
  let lastMs = performance.now();
  const look = () => {
    const { user, system } = process.threadCpuUsage(last);
    longest.cpuMs = Math.max(longest.cpuMs, (user + system) / 1000);
    longest.wallMs = Math.max(longest.wallMs, performance.now() - lastMs);
    [last, lastMs] = [process.threadCpuUsage(), performance.now()];
  };
  const timer = setInterval(look, 1);
  await act();
  look();
  clearInterval(timer);
  return longest;
}

function median(values: readonly Spent[]): Spent {
  const middle = (of: (value: Spent) => number) =>
    values.map(of).sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
  return { cpuMs: middle(({ cpuMs }) => cpuMs), wallMs: middle(({ wallMs }) => wallMs) };
}

async function create(agentId = "agt_chat"): Promise<string> {
  const inputJson = JSON.stringify({ MODEL: "local/bench" });
  return (await client.createSession({ agentId, inputJson }, as())).sessionId;
}

async function turn(sessionId: string, afterMessageId?: string): Promise<void> {
  const rollback = afterMessageId === undefined ? {} : { rollback: { afterMessageId } };
  const request = { sessionId, triggerName: "say", inputJson: '{"TEXT":"hi"}', ...rollback };
  let last = "";
  for await (const { events } of client.trigger(request, as())) last = events.at(-1)?.type ?? last;
  if (last !== "finish") throw new Error(`A turn ended with ${last}`);
}

/** The model call of a turn, without anything of ours around it: the messages as JSON, to the provider and back. */
async function direct(body: unknown): Promise<void> {
  const headers = { "content-type": "application/json" };
  await (await fetch(`${provider}/`, { method: "POST", body: JSON.stringify(body), headers })).text();
}

async function read(sessionId: string, limit?: number): Promise<void> {
  await readJson(sessionId, limit);
}

async function readJson(sessionId: string, limit?: number): Promise<{ json: string }> {
  let json = "";
  const request = { sessionId, view: View.UI, ...(limit !== undefined && { limit }) };
  for await (const { messagesJson } of client.getSession(request, as())) json += messagesJson;
  return { json };
}

function heapMiB(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function as() {
  const permissions = new Set(["sessions"] as const);
  const principal = signer.sign({
    projectId: "prj_test",
    keyId: "key_bench",
    permissions,
    anyProject: false,
  });
  return callOptions({ principal, requestId: "req_bench" });
}
