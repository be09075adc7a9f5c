/**
 * Measures the CPU time of a turn of 64 deltas, with a model that costs nothing: `node services/sessions/bench.ts
 * [in-process|grpc] [streams] [concurrency]`. For a profile: `node --cpu-prof --cpu-prof-dir /tmp …`. The store runs
 * in its own thread; `main` counts only the service's thread. Four kinds of turns take turns, so that their ratios hold
 * on a busy machine: in a session that exists, after a create, by a start, and by a start with an idempotency key.
 */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTick } from "node:timers/promises";
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { startEmbeddedStore } from "@muster/embedded-store";
import { createInProcessBus } from "@muster/events";
import type { Models } from "@muster/models";
import { SessionsService } from "@muster/proto/sessions";
import {
  callOptions,
  createInProcessTransport,
  createPrincipalSigner,
  createPrincipalVerifier,
  createRpcClient,
} from "@muster/rpc";
import { createRpcTransport } from "@muster/rpc/grpc";
import { Secret, silentLogger, systemClock } from "@muster/service";
import { createSessionsService } from "./src/index.ts";
import { chat } from "./test/definitions.ts";
import { startFakeAgents } from "./test/fake-agents.ts";
import { createFakeAuth } from "./test/fake-auth.ts";

const [transportName = "in-process", streams = "3000", concurrency = "32"] = process.argv.slice(2);
const deltas = 64;

const closers: Array<() => Promise<unknown>> = [];
const scope = { onTestFinished: (fn: () => Promise<void>) => void closers.unshift(fn) };
const directory = await mkdtemp(join(tmpdir(), "muster-bench-"));
const store = await startEmbeddedStore({ directory });
const principalSecrets = [new Secret("bench")];
const agents = await startFakeAgents(scope, principalSecrets, systemClock);
agents.set("agt_chat", [chat]);
const service = createSessionsService(
  {
    store: { uri: store.uri, databasePrefix: "bench" },
    principalSecrets,
    ...(transportName === "grpc" ? { listen: { host: "127.0.0.1", port: 0 } } : {}),
  },
  {
    bus: createInProcessBus({ log: silentLogger }),
    log: silentLogger,
    models: effortless(),
    agents: createInProcessTransport([agents.mounted], {
      verifier: createPrincipalVerifier(principalSecrets, systemClock),
      log: silentLogger,
    }),
    auth: createFakeAuth(principalSecrets, systemClock).transport,
  },
);
await service.start();
const transport =
  transportName === "grpc"
    ? createRpcTransport({ addresses: [service.address ?? ""], services: [SessionsService] })
    : createInProcessTransport(service.mounted, {
        verifier: createPrincipalVerifier(principalSecrets, systemClock),
        log: silentLogger,
      });
const client = createRpcClient(SessionsService, transport);
const signer = createPrincipalSigner(principalSecrets, systemClock);

const inputJson = '{"TEXT":"hi"}';
const trigger = { triggerName: "say", inputJson };
const kinds = {
  existing: (sessionId: string) => client.trigger({ sessionId, ...trigger }, as()),
  created: async function* () {
    const { sessionId } = await client.createSession({ agentId: "agt_chat" }, as());
    yield* client.trigger({ sessionId, ...trigger }, as());
  },
  started: () => client.startSession({ agentId: "agt_chat", trigger }, as()),
  startedOnce: () =>
    client.startSession({ agentId: "agt_chat", trigger, idempotencyKey: randomUUID() }, as()),
};
type Kind = keyof typeof kinds;

const rounds = 10;
const perRound = Math.ceil(Number(streams) / rounds);
const names = Object.keys(kinds).filter((name): name is Kind => Object.hasOwn(kinds, name));
const used = new Map(names.map((name) => [name, { mainUs: 0, allUs: 0, ms: 0, events: 0 }]));
for (let round = -1; round < rounds; round++) {
  for (const name of names) {
    const sessionIds = await open(name === "existing" ? perRound : 0);
    const mainBefore = process.threadCpuUsage();
    const allBefore = process.cpuUsage();
    const startedMs = performance.now();
    const events = await run(name, sessionIds);
    const sum = used.get(name);
    // The first round only warms up.
    if (sum === undefined || round < 0) continue;
    sum.mainUs += total(process.threadCpuUsage(mainBefore));
    sum.allUs += total(process.cpuUsage(allBefore));
    sum.ms += performance.now() - startedMs;
    sum.events += events;
  }
}
const count = rounds * perRound;
console.log({ transport: transportName, streams: count, concurrency: Number(concurrency) });
const base = used.get("existing")?.mainUs ?? 1;
console.table(
  Object.fromEntries(
    [...used].map(([name, { mainUs, allUs, ms, events }]) => [
      name,
      {
        streamsPerSecond: Math.round((count / ms) * 1000),
        mainUsPerStream: Math.round(mainUs / count),
        withStoreUsPerStream: Math.round(allUs / count),
        mainTimesExisting: Number((mainUs / base).toFixed(2)),
        eventsPerStream: events / count,
      },
    ]),
  ),
);

await service.stop();
for (const close of closers) await close();
await store.stop();
await rm(directory, { recursive: true });
process.exit(0);

async function open(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const { sessionId } = await client.createSession({ agentId: "agt_chat" }, as());
    ids.push(sessionId);
  }
  return ids;
}

/** As many turns as a round has. Returns the number of events. */
async function run(kind: Kind, sessionIds: string[]): Promise<number> {
  let left = perRound;
  let received = 0;
  const lane = async () => {
    while (left-- > 0) {
      for await (const { events } of kinds[kind](sessionIds.pop() ?? "")) received += events.length;
    }
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, lane));
  return received;
}

function total({ user, system }: NodeJS.CpuUsage): number {
  return user + system;
}

function as() {
  return callOptions({ principal: sign(), requestId: "req_bench" });
}

function sign(): string {
  return signer.sign({
    projectId: "prj_test",
    keyId: "key_bench",
    permissions: new Set(["sessions"]),
    anyProject: false,
  });
}

/** Sixteen ticks of four deltas, like packets from a provider. */
function effortless(): Models {
  const pull = async function* (): AsyncGenerator<LanguageModelV4StreamPart> {
    yield { type: "stream-start", warnings: [] };
    yield { type: "text-start", id: "0" };
    for (let n = 0; n < deltas; n++) {
      if (n % 4 === 0) await nextTick();
      yield { type: "text-delta", id: "0", delta: "some words " };
    }
    yield { type: "text-end", id: "0" };
    const none = { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined };
    yield {
      type: "finish",
      finishReason: { unified: "stop", raw: "stop" },
      usage: { inputTokens: none, outputTokens: { total: 1, text: 1, reasoning: undefined } },
    };
  };
  const model: LanguageModelV4 = {
    specificationVersion: "v4",
    provider: "bench",
    modelId: "effortless",
    supportedUrls: {},
    doStream: async () => ({ stream: ReadableStream.from(pull()) }),
    doGenerate: () => Promise.reject(new Error("Not called")),
  };
  return {
    configuredProviders: () => [],
    checkProviders: async () => [],
    resolve: async () => ({ ok: true, model }),
    limits: { firstPartTimeoutMs: 10_000, stallTimeoutMs: 10_000 },
  };
}
