/**
 * Measures the CPU time of a turn of 64 deltas, with a model that costs nothing: `node services/sessions/bench.ts
 * [in-process|grpc] [streams] [concurrency]`. For a profile: `node --cpu-prof --cpu-prof-dir /tmp …`. The store runs
 * in its own thread; `main` counts only the service's thread.
 */
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
  createRpcTransport,
} from "@muster/rpc";
import { Secret, silentLogger, systemClock } from "@muster/service";
import { createSessionsService } from "./src/index.ts";
import { chat } from "./test/definitions.ts";
import { startFakeAgents } from "./test/fake-agents.ts";

const [transportName = "in-process", streams = "3000", concurrency = "32"] = process.argv.slice(2);
const deltas = 64;

const closers: Array<() => Promise<unknown>> = [];
const scope = { onTestFinished: (fn: () => Promise<void>) => void closers.unshift(fn) };
const directory = await mkdtemp(join(tmpdir(), "muster-bench-"));
const store = await startEmbeddedStore({ directory });
const principalSecret = new Secret("bench");
const agents = await startFakeAgents(scope, principalSecret, systemClock);
agents.set("agt_chat", [chat]);
const service = createSessionsService(
  {
    store: { uri: store.uri, databasePrefix: "bench" },
    principalSecret,
    ...(transportName === "grpc" ? { listen: { host: "127.0.0.1", port: 0 } } : {}),
  },
  {
    bus: createInProcessBus({ log: silentLogger }),
    log: silentLogger,
    models: effortless(),
    agents: agents.transport,
  },
);
await service.start();
const transport =
  transportName === "grpc"
    ? createRpcTransport({ addresses: [service.address ?? ""], services: [SessionsService] })
    : createInProcessTransport(service.mounted, {
        verifier: createPrincipalVerifier(principalSecret, systemClock),
        log: silentLogger,
      });
const client = createRpcClient(SessionsService, transport);
const signer = createPrincipalSigner(principalSecret, systemClock);

await run(await open(300), Number(concurrency));
const sessionIds = await open(Number(streams));
const mainBefore = process.threadCpuUsage();
const allBefore = process.cpuUsage();
const startedMs = performance.now();
const events = await run(sessionIds, Number(concurrency));
const elapsedMs = performance.now() - startedMs;
const main = process.threadCpuUsage(mainBefore);
const all = process.cpuUsage(allBefore);
const perStream = ({ user, system }: NodeJS.CpuUsage) =>
  `${Math.round((user + system) / Number(streams))} us`;
console.log({
  transport: transportName,
  streams: Number(streams),
  concurrency: Number(concurrency),
  streamsPerSecond: Math.round((Number(streams) / elapsedMs) * 1000),
  cpuPerStreamMain: perStream(main),
  cpuPerStreamWithStore: perStream(all),
  eventsPerStream: events / Number(streams),
});

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

/** One turn in each session. Returns the number of events. */
async function run(ids: string[], width: number): Promise<number> {
  const rest = [...ids];
  let received = 0;
  const lane = async () => {
    for (let sessionId = rest.pop(); sessionId !== undefined; sessionId = rest.pop()) {
      const request = { sessionId, triggerName: "say", inputJson: '{"TEXT":"hi"}' };
      for await (const batch of client.trigger(request, as())) received += batch.events.length;
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return received;
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
