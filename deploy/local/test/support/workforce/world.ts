import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { createAgentsService } from "@muster/agents";
import { sharedChecker } from "@muster/agents/testing";
import { createAuthService } from "@muster/auth";
import { createInProcessBus } from "@muster/events";
import type { GuardOptions } from "@muster/guarded-fetch";
import { createModels, readModelsConfig } from "@muster/models";
import { type ScriptedStep, startScriptedProvider } from "@muster/models/testing";
import { AgentsService, Format } from "@muster/proto/agents";
import { AuthService } from "@muster/proto/auth";
import { ComputersService } from "@muster/proto/computers";
import { RecordingsService } from "@muster/proto/recordings";
import { SessionsService } from "@muster/proto/sessions";
import {
  type Agent,
  type CancelThreadResponse,
  type FollowUpResponse,
  type HireAgentRequest,
  type RunConfigSchema,
  type Thread,
  type ThreadEvent,
  WorkforceService,
} from "@muster/proto/workforce";
import {
  type Client,
  callOptions,
  createPrincipalSigner,
  createRpcClient,
  type Permission,
  platformPrincipal,
  workforcePrincipal,
} from "@muster/rpc";
import { createRpcTransport } from "@muster/rpc/grpc";
import { createIds, createLogger, Secret, silentLogger, stopAll, systemClock } from "@muster/service";
import { createSessionsService, type SessionsConfig } from "@muster/sessions";
import { openStore } from "@muster/store";
import { openTestStore } from "@muster/store/testing";
import { type TestScope, until } from "@muster/testing";
import { createWorkforceService } from "@muster/workforce";
import type { WorkforceConfig } from "@muster/workforce/config";

const principalSecret = new Secret("0123456789abcdef0123456789abcdef");
const principalSecrets = [principalSecret];
const adminKey = new Secret(`svc_sk_${"a".repeat(32)}`);
const listen = { host: "127.0.0.1", port: 0 };
const projectId = "default";
const newId = createIds();
/** `TEST_LOG=1` shows the logs of the services. */
const log = process.env.TEST_LOG ? createLogger({ name: "test", level: "debug" }) : silentLogger;

const protocol = [
  "input: {}",
  "triggers:",
  "  user-message:",
  "    input: { TASK: { type: string, description: Text } }",
  "agent: { model: local/scripted, system: system, agentic: true, maxSteps: 50 }",
  "handlers:",
  "  user-message:",
  "    Add: { block: add-message, role: user, prompt: task, input: [TASK] }",
  "    Answer: { block: next-message }",
];

export interface WorldOptions {
  steps?: ScriptedStep[];
  workforce?: Partial<WorkforceConfig>;
  sessions?: Partial<SessionsConfig>;
  /** How long a model may be silent. Default: as long as a slow machine needs. */
  modelTimeoutMs?: number;
  /** Which addresses files of messages may be fetched from. */
  guard?: GuardOptions;
  /** Instead of the scripted provider's. */
  modelUrl?: string;
}

type StartConfig = MessageInitShape<typeof RunConfigSchema>;

/** The actions of an agent's callers. */
export interface Callers {
  agentId: string;
  start(message: string, config?: StartConfig): Promise<string>;
  followUp(threadId: string, message: string): Promise<FollowUpResponse>;
  limit(monthlyTokens: string): Promise<unknown>;
  cancel(threadId: string): Promise<CancelThreadResponse>;
  read(threadId: string): Promise<Thread>;
  status(): Promise<Agent | undefined>;
  ended(threadId: string, withinMs?: number): Promise<Thread>;
  events(threadId: string, after?: number, signal?: AbortSignal): Promise<ThreadEvent[]>;
  /** The same on another instance. */
  through(instance: { client: Client<typeof WorkforceService> }): Callers;
}

export type WorkforceWorld = Awaited<ReturnType<typeof startWorkforceWorld>>;

/** All services behind the edge on sockets of their own, with a scripted model provider and real sandboxes. */
export async function startWorkforceWorld(test: TestScope, options: WorldOptions = {}) {
  const closers: Array<() => Promise<unknown>> = [];
  test.onTestFinished(() => stopAll(closers.reverse().map((close) => async () => void (await close()))));
  const directory = await mkdtemp(join(tmpdir(), "muster-workforce-"));
  closers.push(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  const store = await openTestStore({ onTestFinished: (close) => closers.push(async () => close()) });
  const bus = createInProcessBus({ log });
  closers.push(() => bus.close());
  const provider = await startScriptedProvider(test, { format: "openai", steps: options.steps ?? [] });
  const base = { store: { uri: store.uri, databasePrefix: store.databasePrefix }, principalSecrets, listen };
  const started = async <T extends { start(): Promise<void>; stop(): Promise<void> }>(
    service: T,
  ): Promise<T> => {
    await service.start();
    closers.push(() => service.stop());
    return service;
  };
  const auth = await started(createAuthService({ ...base, adminKey }, { bus, log }));
  const agents = await started(createAgentsService(base, { log, checker: sharedChecker() }));
  const connect = (
    service: { address: string | undefined },
    descriptor: Parameters<typeof createRpcTransport>[0]["services"][number],
  ) => {
    const transport = createRpcTransport({
      addresses: [String(service.address)],
      services: [descriptor],
      // Everything shares one process, so none is silent: a busy machine only makes them late.
      silence: { suspectAfterMs: 600_000 },
    });
    closers.push(async () => transport.close());
    return transport;
  };
  const toAuth = connect(auth, AuthService);
  const toAgents = connect(agents, AgentsService);
  const models = createModels(
    readModelsConfig({
      LOCAL_BASE_URL: options.modelUrl ?? provider.baseUrl,
      DEMO_WORD_DELAY_MS: "0",
      MODEL_FIRST_PART_TIMEOUT_MS: String(options.modelTimeoutMs ?? 300_000),
      MODEL_STALL_TIMEOUT_MS: String(options.modelTimeoutMs ?? 300_000),
    }),
  );
  const sessions = await started(
    createSessionsService(
      { ...base, timings: { drainMs: 500 }, ...options.sessions },
      { bus, models, agents: toAgents, auth: toAuth, log },
    ),
  );
  const toSessions = connect(sessions, SessionsService);
  const blobsDirectory = join(directory, "blobs");
  const database = await openStore({
    uri: store.uri,
    database: `${store.databasePrefix}_workforce`,
    log: silentLogger,
  });
  closers.push(() => database.close());
  const signer = createPrincipalSigner(principalSecrets, systemClock);

  const as = (agentId?: string, signal?: AbortSignal) =>
    callOptions({
      requestId: newId("req"),
      principal: signer.sign(
        agentId === undefined
          ? workforcePrincipal(projectId)
          : {
              projectId,
              keyId: "key_test",
              permissions: new Set<Permission>(["workforce"]),
              anyProject: false,
              agentId,
            },
      ),
      ...(signal !== undefined && { signal }),
    });

  /** Another instance of the workforce service. */
  const addWorkforce = async (over: Partial<WorkforceConfig> = {}) => {
    const { timings, ...rest } = { ...options.workforce, ...over };
    const service = createWorkforceService(
      {
        ...base,
        computers: { blobsDirectory, allowedHosts: [] },
        ...rest,
        timings: { pollEveryMs: 250, sweepEveryMs: 250, ...timings },
      },
      {
        bus,
        agents: toAgents,
        auth: toAuth,
        sessions: toSessions,
        spareProcess: false,
        log,
        ...(options.guard && { guard: options.guard }),
      },
    );
    await service.start();
    const transport = createRpcTransport({
      addresses: [String(service.address)],
      services: [WorkforceService, RecordingsService, ComputersService],
      silence: { suspectAfterMs: 600_000 },
    });
    let stopping: Promise<void> | undefined;
    const stop = () => {
      stopping ??= service.stop();
      return stopping;
    };
    closers.push(async () => {
      transport.close();
      await stop();
    });
    return {
      client: createRpcClient(WorkforceService, transport),
      recordings: createRpcClient(RecordingsService, transport),
      computers: createRpcClient(ComputersService, transport),
      transport,
      address: String(service.address),
      stop,
    };
  };
  const first = await addWorkforce();
  const definitions = createRpcClient(AgentsService, toAgents);
  const { agentId: definitionId } = await definitions.createAgent(
    {
      definition: {
        settings: { slug: "worker", name: "Worker", format: Format.INTERACTIVE },
        protocol: protocol.join("\n"),
        prompts: [
          { name: "system", content: "Work." },
          { name: "task", content: "{{TASK}}" },
        ],
      },
    },
    as(),
  );

  type Instance = Pick<typeof first, "client">;

  const callersOf = (agentId: string, { client }: Instance): Callers => {
    const read = async (threadId: string) => {
      const { thread } = await client.getThread({ agentId, threadId }, as(agentId));
      if (thread === undefined) throw new Error(`The thread ${threadId} does not exist`);
      return thread;
    };
    return {
      agentId,
      start: async (message: string, config?: StartConfig): Promise<string> =>
        (await client.startThread({ agentId, message, ...(config && { config }) }, as(agentId))).threadId,
      followUp: (threadId: string, message: string) =>
        client.followUp({ agentId, threadId, message }, as(agentId)),
      limit: (monthlyTokens: string) => client.updateAgent({ agentId, limits: { monthlyTokens } }, as()),
      cancel: (threadId: string) => client.cancelThread({ agentId, threadId }, as(agentId)),
      read,
      status: async () => (await client.getAgent({ agentId }, as(agentId))).agent,
      ended: async (threadId: string, withinMs = 30_000) => {
        await until(
          `${threadId} has ended`,
          async () => finalStatuses.has((await read(threadId)).status),
          withinMs,
        );
        return await read(threadId);
      },
      events: async (threadId: string, after = 0, signal?: AbortSignal): Promise<ThreadEvent[]> => {
        const seen: ThreadEvent[] = [];
        const request = { agentId, threadId, afterSequence: after };
        for await (const { events } of client.streamThreadEvents(request, as(agentId, signal)))
          seen.push(...events);
        return seen;
      },
      through: (instance: Instance) => callersOf(agentId, instance),
    };
  };

  /** A hired agent, and the actions of its callers. */
  const hire = async (request: Partial<Pick<HireAgentRequest, "limits" | "computer">> = {}) => {
    const definition = { case: "definitionId" as const, value: definitionId };
    const hired = await first.client.hireAgent({ name: "Lou", definition, ...request }, as());
    return callersOf(hired.agent?.agent?.id ?? "", first);
  };

  return {
    sessions: createRpcClient(SessionsService, toSessions),
    ...{ provider, bus, as, hire, addWorkforce, first, definitionId, db: database.db },
    /** Options for a call of a user who may decide approvals. */
    asApprover: () => {
      const permissions = new Set<Permission>(["approve"]);
      const principal = { projectId, keyId: "key_approver", permissions, anyProject: false };
      return callOptions({ requestId: newId("req"), principal: signer.sign(principal) });
    },
    /** Options for a call of the platform itself. */
    asPlatform: () => callOptions({ requestId: newId("req"), principal: signer.sign(platformPrincipal) }),
    /** Options for the connection of a computer. */
    asComputer: (computerId: string, signal: AbortSignal) => {
      const permissions = new Set<Permission>();
      const principal = { projectId, keyId: "key_test", permissions, anyProject: false, computerId };
      return callOptions({ requestId: newId("req"), principal: signer.sign(principal), signal });
    },
    /** For processes of their own. */
    env: {
      STORE_URI: store.uri,
      DATABASE_PREFIX: store.databasePrefix,
      SECRET: principalSecret.reveal(),
      ADMIN_KEY: adminKey.reveal(),
      BLOBS: blobsDirectory,
      AUTH_ADDRESS: String(auth.address),
      AGENTS_ADDRESS: String(agents.address),
      SESSIONS_ADDRESS: String(sessions.address),
      WORKFORCE_ADDRESS: first.address,
    },
    /** The computer's own log of an agent. */
    computerLog: async (
      agentId: string,
    ): Promise<Array<{ callId: string; epoch: number; step: string; at: Date }>> => {
      const found = await database.db
        .collection<{ _id: string; log?: [] }>("computers")
        .findOne({ _id: agentId });
      return found?.log ?? [];
    },
  };
}

const finalStatuses = new Set(["completed", "failed", "cancelled", "blocked"]);

/** A step in which the model runs a command on the computer. */
export function runs(...commands: string[]): ScriptedStep {
  const toolCalls = commands.map((command) => ({ name: "shell__run_command", arguments: { command } }));
  return { parts: [{ toolCalls }] };
}

export function says(text: string): ScriptedStep {
  return { parts: [{ text }] };
}
