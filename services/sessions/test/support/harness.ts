import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CallOptions, Client } from "@connectrpc/connect";
import { createModels, type Models, readModelsConfig } from "@muster/models";
import { type ScriptedProvider, type ScriptedStep, startScriptedProvider } from "@muster/models/testing";
import {
  type GetSessionRequestSchema,
  type Session,
  SessionsService,
  type StreamEvent,
  View,
} from "@muster/proto/sessions";
import {
  type CallPrincipal,
  callOptions,
  createPrincipalSigner,
  createRpcClient,
  readRpcError,
} from "@muster/rpc";
import { createRpcTransport } from "@muster/rpc/grpc";
import { ManualClock, Secret, silentLogger, stopAll } from "@muster/service";
import { openTestStore, type TestStore } from "@muster/store/testing";
import type { TestScope } from "@muster/testing";
import { checkEvent } from "@muster/wire/events/check";
import type { Collection } from "mongodb";
import { createSessionsService, type SessionsConfig, type SessionsOverrides } from "../../src/index.ts";
import type { ChunkDocument } from "../../src/store/chunk-store.ts";
import type { LogDocument } from "../../src/store/log-store.ts";
import type { SessionDocument } from "../../src/store/session-document.ts";
import { chat } from "./definitions.ts";
import { type FakeAgents, startFakeAgents } from "./fake-agents.ts";
import { createFakeAuth, type FakeAuth } from "./fake-auth.ts";
import { createTestBus, type TestBus } from "./test-bus.ts";

export const projectId = "prj_test";

export interface Instance {
  client: Client<typeof SessionsService>;
  stop(): Promise<void>;
}

export interface World {
  store: TestStore;
  clock: ManualClock;
  bus: TestBus;
  agents: FakeAgents;
  auth: FakeAuth;
  provider: ScriptedProvider;
  principalSecrets: readonly Secret[];
  /** The models that `world.provider` serves, and demo/echo. */
  createModels(): Models;
  addInstance(config?: Partial<SessionsConfig>, overrides?: Partial<SessionsOverrides>): Promise<Instance>;
  /** Call options for this caller. */
  as(principal?: Partial<CallPrincipal>, extra?: { signal?: AbortSignal; timeoutMs?: number }): CallOptions;
  document(sessionId: string): Promise<SessionDocument>;
  /** The collections of the sessions service. */
  sessions: Collection<SessionDocument>;
  chunks: Collection<ChunkDocument>;
  logs: Collection<LogDocument>;
}

export const scriptedModel = "local/scripted";

/** A store, a bus, an agents service with the agent `agt_chat`, and a scripted model provider. */
export async function startWorld(
  test: TestScope,
  steps: ScriptedStep[] = [],
  /** Short ones are for tests of the limit itself: on a busy machine every reply exceeds them now and then. */
  { modelTimeoutMs = 600_000 } = {},
): Promise<World> {
  const closers: Array<() => void | Promise<void>> = [];
  const t = { onTestFinished: (close: () => void | Promise<void>) => void closers.unshift(close) };
  // Last started, first stopped; all of them are stopped even if one fails.
  test.onTestFinished(() => stopAll(closers.map((close) => async () => close())));
  const store = await openTestStore(t);
  const principalSecrets = [new Secret("test-secret")];
  const clock = new ManualClock(Date.now());
  const agents = await startFakeAgents(t, principalSecrets, clock);
  agents.set("agt_chat", [chat]);
  const auth = createFakeAuth(principalSecrets, clock);
  const provider = await startScriptedProvider(t, { format: "openai", steps });
  const bus = createTestBus();
  t.onTestFinished(() => bus.close());
  const signer = createPrincipalSigner(principalSecrets, clock);
  const models = readModelsConfig({
    LOCAL_BASE_URL: provider.baseUrl,
    DEMO_WORD_DELAY_MS: "0",
    MODEL_FIRST_PART_TIMEOUT_MS: String(modelTimeoutMs),
    MODEL_STALL_TIMEOUT_MS: String(modelTimeoutMs),
  });
  const db = store.db.client.db(`${store.databasePrefix}_sessions`);
  const sessions = db.collection<SessionDocument>("sessions");
  return {
    store,
    sessions,
    chunks: db.collection<ChunkDocument>("messages"),
    logs: db.collection<LogDocument>("execution_logs"),
    clock,
    bus,
    agents,
    auth,
    provider,
    principalSecrets,
    createModels: () => createModels(models),
    addInstance: async (config = {}, overrides = {}) => {
      const service = createSessionsService(
        {
          store: { uri: store.uri, databasePrefix: store.databasePrefix },
          listen: { host: "127.0.0.1", port: 0 },
          principalSecrets,
          ...config,
          timings: { drainMs: 500, busyWaitMs: 200, earlySaveMs: 60_000, ...config.timings },
        },
        {
          bus,
          log: silentLogger,
          models: createModels(models),
          agents: agents.transport,
          auth: auth.transport,
          clock,
          ...overrides,
        },
      );
      await service.start();
      const transport = createRpcTransport({
        addresses: [service.address ?? ""],
        services: [SessionsService],
        // The instances share the test's process, so none is silent: a busy machine only makes them late.
        silence: { suspectAfterMs: 600_000 },
      });
      const stop = async () => {
        transport.close();
        await service.stop();
      };
      t.onTestFinished(stop);
      return { client: createRpcClient(SessionsService, transport), stop: () => service.stop() };
    },
    as: (principal = {}, extra = {}) =>
      callOptions({
        principal: signer.sign({
          projectId,
          keyId: "key_test",
          permissions: new Set(["sessions"]),
          anyProject: false,
          ...principal,
        }),
        requestId: "req_test",
        ...extra,
      }),
    document: async (sessionId) => {
      const found = await sessions.findOne({ _id: sessionId });
      if (found === null) throw new Error(`The session ${sessionId} does not exist`);
      return found;
    },
  };
}

/** A session of `agt_chat` with the scripted model, unless the input names another. */
export async function openSession(
  world: World,
  { client }: Instance,
  input: Record<string, unknown> = { MODEL: scriptedModel },
): Promise<string> {
  const request = { agentId: "agt_chat", inputJson: JSON.stringify(input) };
  return (await client.createSession(request, world.as())).sessionId;
}

/** The request of a trigger in which a user says something. */
export function say(sessionId: string, text: string) {
  return { sessionId, triggerName: "say", inputJson: JSON.stringify({ TEXT: text }) };
}

/** A tool result for a trigger request. */
export function result(toolCallId: string, value: unknown, toolName = "") {
  const outcome = { case: "resultJson" as const, value: JSON.stringify(value) };
  return { toolCallId, toolName, outcome };
}

export interface UiMessage {
  id: string;
  role: string;
  status: string;
  parts: Array<{ type: string; [field: string]: unknown }>;
  /** In the full format. */
  content?: string;
}

/** Where the clients of a world reach its gateway. */
export const filesBaseUrl = "https://muster.example";

/** The messages that users see. */
export async function messagesOf(
  world: World,
  { client }: Instance,
  sessionId: string,
): Promise<UiMessage[]> {
  return (await readSession(client, { sessionId, view: View.UI, filesBaseUrl }, world.as())).messages;
}

/** The whole response, its messages parsed. */
export async function readSession(
  client: Instance["client"],
  request: MessageInitShape<typeof GetSessionRequestSchema>,
  options: CallOptions,
): Promise<{ session: Session | undefined; messages: UiMessage[] }> {
  let session: Session | undefined;
  let json = "";
  for await (const response of client.getSession(request, options)) {
    session ??= response.session;
    json += response.messagesJson;
  }
  return { session, messages: JSON.parse(`[${json}]`) };
}

export interface Event {
  type: string;
  [field: string]: unknown;
}

/** Reads a stream to its end; checks each event's schema, that numbers have no gap and that no event follows the end. */
export async function readAll(stream: AsyncIterable<Batch>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of eventsOf(stream)) events.push(event);
  return events;
}

/** A message of a stream. */
interface Batch {
  events: StreamEvent[];
}

export async function* eventsOf(stream: AsyncIterable<Batch>): AsyncGenerator<Event> {
  let expected = 1;
  let ended = false;
  for await (const response of stream) {
    if (response.events.length === 0) throw new Error("A batch without events");
    for (const { sequence, type, json } of response.events) {
      if (sequence !== expected) throw new Error(`Expected event ${expected}, not ${sequence}`);
      expected += 1;
      if (ended && type !== "usage") throw new Error(`${type} follows the end`);
      ended ||= type === "finish" || type === "error";
      const event: Event = JSON.parse(json);
      if (event.type !== type) throw new Error(`${type} carries ${event.type}`);
      checkEvent(event);
      yield event;
    }
  }
}

export function textOf(events: readonly Event[]): string {
  return events
    .filter(({ type }) => type === "text-delta")
    .map(({ delta }) => delta)
    .join("");
}

export function typesOf(events: readonly Event[]): string[] {
  return events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
}

/** The reason why a call was refused. Fails if it was not. */
export async function refusal(call: Promise<unknown>): Promise<ReturnType<typeof readRpcError>> {
  try {
    await call;
  } catch (error) {
    return readRpcError(error);
  }
  throw new Error("The call was not refused");
}
