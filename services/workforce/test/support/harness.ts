import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CallOptions, Client } from "@connectrpc/connect";
import { type Bus, createInProcessBus, createNotices } from "@muster/events";
import { ComputersService } from "@muster/proto/computers";
import { HooksService } from "@muster/proto/hooks";
import { SchedulesService } from "@muster/proto/schedules";
import { WebhooksService } from "@muster/proto/webhooks";
import { type HireAgentRequestSchema, WorkforceService } from "@muster/proto/workforce";
import {
  type CallPrincipal,
  callOptions,
  createPrincipalSigner,
  createRpcClient,
  readRpcError,
} from "@muster/rpc";
import { createRpcTransport } from "@muster/rpc/grpc";
import { createIds, ManualClock, Secret, silentLogger, stopAll } from "@muster/service";
import { openTestStore, type TestStore } from "@muster/store/testing";
import type { TestScope } from "@muster/testing";
import type { Collection, Document } from "mongodb";
import type { WorkforceConfig } from "../../src/config.ts";
import { createWorkforceService } from "../../src/index.ts";
import type { AgentDocument } from "../../src/store/agent-document.ts";
import { type AgentStore, createAgentStore } from "../../src/store/agent-store.ts";
import { createRunStore, type RunStore } from "../../src/store/run-store.ts";
import { createThreadStore, type ThreadStore } from "../../src/store/thread-store.ts";
import { projectId } from "./documents.ts";
import { createFakeServices, type FakeServices, lou } from "./fake-services.ts";

export type WorkforceClient = Client<typeof WorkforceService>;

export interface World {
  store: TestStore;
  bus: Bus;
  clock: ManualClock;
  fake: FakeServices;
  /** The store of the service, for the steps of a run, and for fields that a reader cannot see. */
  agents: AgentStore;
  threads: ThreadStore;
  runs: RunStore;
  /** For changes that no move makes. */
  collection(name: string): Collection<Document>;
  /** Another instance, which starts no runs unless the configuration says so. Its client calls it over gRPC. */
  addInstance(config?: Partial<WorkforceConfig>): Promise<{
    client: WorkforceClient;
    computers: Client<typeof ComputersService>;
    schedules: Client<typeof SchedulesService>;
    webhooks: Client<typeof WebhooksService>;
    hooks: Client<typeof HooksService>;
    stop(): Promise<void>;
  }>;
  /** Options for a call with the key of an agent. */
  asAgent(agentId: string, extra?: { signal?: AbortSignal }): CallOptions;
  /** Options for a call of an administrator, unless the principal is changed. */
  as(principal?: Partial<CallPrincipal>): CallOptions;
}

export async function startWorld(test: TestScope): Promise<World> {
  const closers: Array<() => void | Promise<void>> = [];
  const t = { onTestFinished: (close: () => void | Promise<void>) => void closers.unshift(close) };
  test.onTestFinished(() => stopAll(closers.map((close) => async () => close())));
  const store = await openTestStore(t);
  const clock = new ManualClock(Date.parse("2026-11-22T12:00:00Z"));
  const principalSecrets = [new Secret("test-secret")];
  const bus = createInProcessBus({ log: silentLogger });
  t.onTestFinished(() => bus.close());
  const fake = createFakeServices(principalSecrets, clock);
  const signer = createPrincipalSigner(principalSecrets, clock);
  const as = (principal: Partial<CallPrincipal> = {}, extra: { signal?: AbortSignal } = {}) =>
    callOptions({
      principal: signer.sign({
        projectId,
        keyId: "key_test",
        permissions: new Set(["workforce"]),
        anyProject: false,
        ...principal,
      }),
      requestId: "req_test",
      ...extra,
    });
  const db = store.db.client.db(`${store.databasePrefix}_workforce`);
  return {
    store,
    bus,
    clock,
    fake,
    agents: createAgentStore(db),
    threads: createThreadStore(db, undefined, createNotices({ newId: createIds(), clock })),
    runs: createRunStore(db),
    collection: (name) => db.collection(name),
    addInstance: async (config = {}) => {
      const service = createWorkforceService(
        {
          store: { uri: store.uri, databasePrefix: store.databasePrefix },
          listen: { host: "127.0.0.1", port: 0 },
          principalSecrets,
          computers: { blobsDirectory: "/nonexistent", allowedHosts: [] },
          startsRuns: false,
          ...config,
          timings: { pollEveryMs: 250, sweepEveryMs: 250, ...config.timings },
        },
        { bus, log: silentLogger, clock, agents: fake.agents, auth: fake.auth, sessions: fake.sessions },
      );
      await service.start();
      t.onTestFinished(() => service.stop());
      const transport = createRpcTransport({
        addresses: [service.address ?? ""],
        services: [WorkforceService, ComputersService, WebhooksService, HooksService, SchedulesService],
        silence: { suspectAfterMs: 600_000 },
      });
      t.onTestFinished(() => transport.close());
      return {
        client: createRpcClient(WorkforceService, transport),
        computers: createRpcClient(ComputersService, transport),
        schedules: createRpcClient(SchedulesService, transport),
        webhooks: createRpcClient(WebhooksService, transport),
        hooks: createRpcClient(HooksService, transport),
        stop: () => service.stop(),
      };
    },
    asAgent: (agentId, extra) => as({ agentId }, extra),
    as,
  };
}

/** A hired agent, and a client. */
export async function startWithAgent(
  test: TestScope,
  request: MessageInitShape<typeof HireAgentRequestSchema> = {},
  config: Partial<WorkforceConfig> = {},
) {
  const world = await startWorld(test);
  const { client, computers, webhooks, hooks, schedules, stop } = await world.addInstance(config);
  const { agent } = await client.hireAgent(
    { name: "Lou", definition: { case: "definitionId", value: lou }, ...request },
    world.as(),
  );
  const agentId = agent?.agent?.id ?? "";
  const key = { projectId, agentId };
  const own = world.asAgent(agentId);
  const start = (message: string, more: object = {}) =>
    client.startThread({ agentId, message, ...more }, own);
  const read = async (threadId: string) => (await client.getThread({ agentId, threadId }, own)).thread;
  const document = async (): Promise<AgentDocument> => {
    const found = await world.agents.find(key);
    if (found === null) throw new Error("The agent is gone");
    return found;
  };
  return {
    world,
    client,
    computers,
    webhooks,
    hooks,
    schedules,
    stop,
    agentId,
    key,
    own,
    start,
    read,
    document,
  };
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
