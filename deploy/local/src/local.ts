import { randomBytes } from "node:crypto";
import {
  type AgentsService as AgentsHost,
  createAgentsService,
  type DefinitionChecker,
} from "@muster/agents";
import { type AuthService as AuthHost, createAuthService } from "@muster/auth";
import type { LoadedStore } from "@muster/embedded-store";
import { createGateway, gatewayDefaults } from "@muster/gateway";
import type { Metrics } from "@muster/metrics";
import { createModels, type Models } from "@muster/models";
import { AgentsService } from "@muster/proto/agents";
import { AuditService } from "@muster/proto/audit";
import { AuthService } from "@muster/proto/auth";
import { ComputersService } from "@muster/proto/computers";
import { HooksService } from "@muster/proto/hooks";
import { RecordingsService } from "@muster/proto/recordings";
import { SchedulesService } from "@muster/proto/schedules";
import { SessionsService } from "@muster/proto/sessions";
import { WebhooksService } from "@muster/proto/webhooks";
import { WorkforceService } from "@muster/proto/workforce";
import {
  createPrincipalSigner,
  createPrincipalVerifier,
  createRpcClient,
  serviceDependency,
} from "@muster/rpc";
import {
  type Clock,
  createIds,
  type Logger,
  type NewId,
  requireWritableFolder,
  Secret,
  type Service,
  stopAll,
  systemClock,
} from "@muster/service";
import { createSessionsService } from "@muster/sessions";
import type { LocalConfig } from "./config.ts";
import { secretsKeysOf } from "./secrets-keys.ts";
import { type Closers, startInfrastructure } from "./start-infrastructure.ts";
import { readyUntilStarted, startLater, transportToLater } from "./start-later.ts";
import { transportTo } from "./transport-to.ts";

/** How long executions without a reader may keep running once the streams have ended. */
const detachedDrainMs = 5_000;
/** How long closing the rest may take after that. */
const closeMs = 5_000;

/** The longest time that a stop takes. */
export function stopWithinMs(config: LocalConfig): number {
  return config.drainMs + detachedDrainMs + closeMs;
}

export interface Local extends Service {
  /** `http://host:port`, once started. */
  readonly url: string;
  /**
   * The admin key if this start generated it, even if the start failed afterwards. It is not stored in a readable
   * form: show it once.
   */
  readonly bootstrapKey: Secret | undefined;
  readonly models: Models;
}

/** The parts that a process may have already. */
export interface LocalParts {
  /** Used instead of loading one. */
  store?: LoadedStore | undefined;
  /** Absent: nothing is measured. */
  metrics?: Metrics | undefined;
  /** The agents service uses this one instead of starting its own. */
  checker?: DefinitionChecker | undefined;
  /** False: no process of a sandbox starts before its command arrives. */
  spareProcess?: boolean | undefined;
  /** How long a turn waits for the tools of MCP servers, in milliseconds. Default: that of the sessions service. */
  listToolsMs?: number | undefined;
  /** The longest silence of a stream, in milliseconds. Default: that of the gateway. */
  heartbeatMs?: number | undefined;
  /** Default: the system's. */
  clock?: Clock | undefined;
  /** Default: `createIds` by the system's clock. */
  newId?: NewId | undefined;
}

/**
 * All services, the store, the bus and the gateway in this process. `onFatal` is called if the store or the bus fails
 * permanently, or a service does not start in the background: the process should end.
 */
export function createLocal(
  config: LocalConfig,
  log: Logger,
  onFatal: (error: Error) => void,
  parts: LocalParts = {},
): Local {
  const models = createModels(config.models);
  const closers: Closers = [];
  const warmUps: WarmUp[] = [];
  let started: Started | undefined;
  let bootstrapKey: Secret | undefined;
  return {
    models,
    get url() {
      if (!started) throw new Error("Muster is not running yet");
      return started.url;
    },
    get bootstrapKey() {
      return bootstrapKey;
    },
    start: async () => {
      try {
        const keepKey = (key: Secret | undefined) => {
          bootstrapKey = key;
        };
        started = await startAll({ ...parts, config, log, onFatal, models, warmUps, closers, keepKey });
      } catch (error) {
        await stopAll(closers.splice(0).reverse());
        throw error;
      }
    },
    warmUp: () => {
      for (const warmUp of warmUps) warmUp();
    },
    // The recorder stops first, then the edge, because running streams still need the services; the store stops last.
    stop: () => stopAll(closers.splice(0).reverse()),
  };
}

type Started = Pick<Local, "url">;
type WarmUp = () => void;

interface Start extends LocalParts {
  config: LocalConfig;
  log: Logger;
  onFatal: (error: Error) => void;
  models: Models;
  /** Receives one for each service that has started. */
  warmUps: WarmUp[];
  closers: Closers;
  keepKey: (key: Secret | undefined) => void;
}

async function startAll(options: Start): Promise<Started> {
  const { config, log, onFatal, metrics, store, checker, models, warmUps, closers, keepKey } = options;
  const { spareProcess, listToolsMs, heartbeatMs, clock = systemClock, newId = createIds() } = options;
  const { uri, bus } = await startInfrastructure({ config, log, onFatal, metrics, closers, store });
  const secretsKeys = await secretsKeysOf(config);

  // A store that others use too, without a key: nothing could be signed for all of them.
  const hasKeys = secretsKeys.length > 0;
  const { fileRules } = config;
  const files = { fileRules, ...(hasKeys && { files: { ...config.files, keys: secretsKeys } }) };
  const { directory } = config.files;
  await requireWritableFolder("DATA_DIR", config.computers.blobsDirectory);
  // The workforce service also checks it, but only after the server listens.
  if (config.computers.bubblewrap) await (await import("@muster/computers")).requireRuntime(config.computers);
  if (hasKeys) await requireWritableFolder("FILES_DIRECTORY", directory);
  const recordings = hasKeys ? { recordings: { directory, keys: secretsKeys, ...config.recordings } } : {};

  const principalSecrets = [new Secret(randomBytes(32).toString("base64url"))];
  const signer = createPrincipalSigner(principalSecrets, clock);
  const verifier = createPrincipalVerifier(principalSecrets, clock);
  const base = {
    store: { uri, databasePrefix: config.databasePrefix },
    principalSecrets,
    ...(config.transport === "grpc" ? { listen: { host: "127.0.0.1", port: 0 } } : {}),
  };
  const calls = { verifier, log, metrics, transport: config.transport };
  const start = async <T extends Service>(service: T, closedBy = closers): Promise<T> => {
    closedBy.push(() => service.stop());
    await service.start();
    warmUps.push(() => service.warmUp?.());
    return service;
  };

  const [auth, agents] = await Promise.all([
    start<AuthHost>(
      createAuthService(
        {
          ...base,
          secretsKeys,
          federation: config.federation,
          ...(config.adminKey ? { adminKey: config.adminKey } : {}),
        },
        { bus, clock, newId, metrics, log: log.child({ service: "auth" }) },
      ),
    ),
    start<AgentsHost>(
      createAgentsService(
        { ...base, readyWithoutCompiler: true },
        { clock, newId, metrics, checker, log: log.child({ service: "agents" }) },
      ),
    ),
  ]);
  keepKey(auth.bootstrapKey);
  const toAgents = await transportTo(agents, calls, closers);
  const toAuth = await transportTo(auth, calls, closers);
  const sessions = await start(
    createSessionsService(
      {
        ...base,
        ...files,
        fileMemoryBytes: config.fileMemoryBytes,
        sessionTtlMs: config.sessionTtlMs,
        ...config.history,
        ...config.remote,
        executionLog: config.executionLog,
        bandwidthPer1M: config.edge.bandwidthPer1M,
        onlyInstance: !config.mongodbUri,
        timings: { drainMs: detachedDrainMs, ...(listToolsMs !== undefined && { listToolsMs }) },
      },
      {
        ...{ bus, clock, newId, metrics, models, agents: toAgents, auth: toAuth },
        log: log.child({ service: "sessions" }),
      },
    ),
  );
  const toSessions = await transportTo(sessions, calls, closers);
  const workforce = startLater(async (closedBy) => {
    const { createWorkforceService } = await import("@muster/workforce");
    const service = await start(
      createWorkforceService(
        {
          ...base,
          ...files,
          ...recordings,
          computers: config.computers,
          deployment: config.deployment,
          secretsKeys,
          webhookAllowedHosts: config.webhookAllowedHosts,
          auditRetentionDays: config.auditRetentionDays,
          onlyInstance: !config.mongodbUri,
        },
        {
          ...{
            bus,
            clock,
            newId,
            metrics,
            agents: toAgents,
            auth: toAuth,
            sessions: toSessions,
            spareProcess,
          },
          log: log.child({ service: "workforce" }),
        },
      ),
      closedBy,
    );
    return transportTo(service, calls, closedBy);
  }, onFatal);
  closers.push(() => workforce.stop());
  const toWorkforce = transportToLater(workforce);
  const gateway = createGateway(
    {
      ...gatewayDefaults,
      ...config.edge,
      ...files,
      isOnlyGateway: !config.mongodbUri,
      host: config.host,
      port: config.port,
      drainMs: config.drainMs,
      ...(heartbeatMs !== undefined && { streams: { ...gatewayDefaults.streams, heartbeatMs } }),
    },
    {
      auth: createRpcClient(AuthService, toAuth),
      agents: createRpcClient(AgentsService, toAgents),
      sessions: createRpcClient(SessionsService, toSessions),
      workforce: createRpcClient(WorkforceService, toWorkforce),
      recordings: createRpcClient(RecordingsService, toWorkforce),
      computers: createRpcClient(ComputersService, toWorkforce),
      schedules: createRpcClient(SchedulesService, toWorkforce),
      webhooks: createRpcClient(WebhooksService, toWorkforce),
      hooks: createRpcClient(HooksService, toWorkforce),
      audit: createRpcClient(AuditService, toWorkforce),
      services: [
        serviceDependency("auth", toAuth),
        serviceDependency("agents", toAgents),
        serviceDependency("sessions", toSessions),
        readyUntilStarted(serviceDependency("workforce", toWorkforce), workforce),
      ],
      bus,
      clock,
      newId,
      metrics,
      signer,
      log: log.child({ service: "gateway" }),
    },
  );
  closers.push(() => gateway.stop());
  const { url } = await gateway.start();
  warmUps.push(() => gateway.warmUp());
  workforce.schedule();
  if (hasKeys && config.recorder.concurrency > 0) {
    const recorder = startLater(async (closedBy) => {
      const { createRecorderService } = await import("@muster/recorder");
      const { renderVideo } = await import("@muster/video");
      await start(
        createRecorderService(
          { ...base, ...config.recorder, ...config.recordings, directory },
          {
            ...{ bus, clock, newId, metrics, workforce: toWorkforce, render: renderVideo },
            log: log.child({ service: "recorder" }),
          },
        ),
        closedBy,
      );
    }, onFatal);
    // The last to start is the first to stop: nothing is rendered while streams end.
    closers.push(() => recorder.stop());
    recorder.schedule();
  }
  return { url };
}
