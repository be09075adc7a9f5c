import type { Transport } from "@connectrpc/connect";
import { type Catalog, createCatalog } from "@muster/catalog";
import type { Bus } from "@muster/events";
import { createGuardedFetch, createUrlCheck, type GuardOptions } from "@muster/guarded-fetch";
import type { Models } from "@muster/models";
import { AgentsService } from "@muster/proto/agents";
import { AuthService } from "@muster/proto/auth";
import {
  createPrincipalSigner,
  createRpcClient,
  type ServiceContext,
  type ServiceOverrides,
} from "@muster/rpc";
import { createIds, FairQueue, systemClock } from "@muster/service";
import { createFiles, defaultFileRules } from "@muster/storage/files";
import { createImageScaler } from "@muster/storage/images";
import { createEventStore, type EventStore } from "@muster/store/event-log";
import type { Db } from "mongodb";
import { createPrograms, type Programs } from "./agents/programs.ts";
import { createProjectKeyCache, type ProjectKeyCache } from "./agents/project-keys.ts";
import { createWorkerLibraries, type WorkerLibraries } from "./agents/worker-libraries.ts";
import {
  defaultArchiveLength,
  defaultFileMemoryBytes,
  defaultHistoryCacheBytes,
  defaultKeepEventsMs,
  defaultKeepLogMs,
  defaultLocalContextTokens,
  defaultMaxConversationBytes,
  defaultMaxLogLength,
  defaultMaxStateBytes,
  defaultSessionTtlMs,
  defaultTimings,
  type SessionsConfig,
  type Timings,
} from "./config.ts";
import { createHistories, type Histories } from "./conversations/history/histories.ts";
import { createHistoryCache } from "./conversations/history/history-cache.ts";
import {
  createExecutionLogs,
  defaultMaxEntries,
  type ExecutionLogs,
} from "./conversations/log/execution-logs.ts";
import {
  createSessionReader,
  readLimits,
  type SessionReader,
} from "./conversations/reading/session-reader.ts";
import { type ChunkStore, createChunkStore } from "./store/chunk-store.ts";
import { createHiddenStore, type HiddenStore } from "./store/hidden-store.ts";
import { createInOrder, type InOrder } from "./store/in-order.ts";
import { createLogStore } from "./store/log-store.ts";
import { expiryAfter } from "./store/moves.ts";
import { createSessionStore, type SessionStore } from "./store/session-store.ts";
import { createStartStore, type StartStore } from "./store/start-store.ts";
import { trusted } from "./store/state-text.ts";
import { type TurnEvents, turnEventCollection } from "./store/turn-events.ts";
import { createUsageStore } from "./store/usage-store.ts";
import { createWorkerStore, type WorkerStore } from "./store/worker-store.ts";
import type { CheckpointDependencies } from "./turns/driver/checkpoints.ts";
import {
  createExecutions,
  createLeaseKeeper,
  type Executions,
  type LeaseKeeper,
} from "./turns/driver/executions.ts";
import type { Persistence } from "./turns/driver/once-there-is-space.ts";
import { TurnMetrics } from "./turns/driver/turn-metrics.ts";
import type { FileDelivery } from "./turns/files/call-files.ts";
import { FileBudget } from "./turns/files/file-budget.ts";
import { createTurnLogs, type TurnLogs } from "./turns/stream/turn-logs.ts";
import { createUsageLedger, type UsageLedger } from "./usage/usage-ledger.ts";

/** Dependencies supplied by the process or test. */
export interface SessionsOverrides extends ServiceOverrides {
  bus: Bus;
  models: Models;
  /** Reaches the agents service. */
  agents: Transport;
  /** Reaches the auth service, which has the projects' own keys for model providers. */
  auth: Transport;
  /** Prices. Default: the published ones. */
  catalog?: ModelCatalog;
  /** Which addresses files may be fetched from. Default: public ones. */
  guard?: GuardOptions;
}

type ModelCatalog = Pick<Catalog, "costOf" | "priceVersion" | "knows" | "nameOf" | "contextLengthOf">;

/** All dependencies of the RPCs. */
export interface SessionsContext extends ServiceContext, CheckpointDependencies {
  models: Models;
  projectKeys: ProjectKeyCache;
  /** Puts files into model calls. */
  fileDelivery: FileDelivery;
  /** Sign download URLs, revealed. Undefined: there are no uploaded files. */
  linkKeys: readonly string[] | undefined;
  /** Throws FetchProblem for a URL that is never fetched. */
  checkUrl: (url: string) => URL;
  store: SessionStore;
  chunks: ChunkStore;
  /** The sessions that requests with idempotency keys have opened. */
  starts: StartStore;
  histories: Histories;
  /** Changes of one session's metadata on this instance, one after the other. */
  inOrder: InOrder;
  /** How executions of sessions are stored. */
  persistence: Persistence;
  workers: WorkerStore;
  logs: ExecutionLogs;
  eventStore: EventStore<TurnEvents>;
  /** The event logs of the runs on this instance. */
  eventLogs: TurnLogs;
  reader: SessionReader;
  /** Reads of sessions take turns by project. */
  reads: FairQueue;
  catalog: ModelCatalog;
  /** The context window of a model in tokens; undefined if it is not known. */
  contextWindow(modelId: string): number | undefined;
  /** Undefined: nothing is measured. */
  turnMetrics: TurnMetrics | undefined;
  /** The usage of workforce agents. */
  usage: UsageLedger;
  /** When a session that is active now expires, or a worker that waits for tools. */
  expiryFrom(nowMs: number): Date | null;
  programs: Programs;
  workerLibraries: WorkerLibraries;
  bus: Bus;
  executions: Executions;
  leases: LeaseKeeper;
  /** Identifies this process in leases. */
  instance: string;
  /** Set to `instance` if no other instance can exist. */
  onlyHolder: string | undefined;
  timings: Timings;
  /** Limit for a session's document: its input, its messages that are not archived, and its pause. */
  maxStateBytes: number;
  /** Limit for a session's conversation, archived or not. */
  maxConversationBytes: number;
  /** Aborted: no new triggers are accepted. */
  draining: AbortSignal;
  /** The same for the sessions of workforce threads. */
  hidden: HiddenContext;
}

/** The context of calls by the workforce service. */
export interface HiddenContext extends SessionsContext {
  store: HiddenStore;
}

export function createContext(
  config: SessionsConfig,
  overrides: SessionsOverrides,
  db: Db,
  draining: AbortSignal,
): SessionsContext {
  const {
    bus,
    log,
    models,
    agents,
    auth,
    guard,
    clock = systemClock,
    newId = createIds(),
    metrics,
  } = overrides;
  const timings = { ...defaultTimings, ...config.timings };
  const ttlMs = config.sessionTtlMs ?? defaultSessionTtlMs;
  const expiryFrom = expiryAfter(ttlMs);
  const executions = createExecutions();
  const instance = newId("run");
  const onlyHolder = config.onlyInstance ? instance : undefined;
  const programs = createPrograms(createRpcClient(AgentsService, agents));
  const signer = createPrincipalSigner(config.principalSecrets, clock);
  const store = createSessionStore(db, { onlyHolder, metrics });
  const hiddenStore = createHiddenStore(db, { onlyHolder, metrics });
  const chunks = createChunkStore(db);
  const cache = createHistoryCache(config.historyCacheBytes ?? defaultHistoryCacheBytes);
  const archiveLength = config.archiveLength ?? defaultArchiveLength;
  const eventStore = createEventStore<TurnEvents>(db, { ...turnEventCollection, settings: trusted });
  const { flushEventsEveryMs: flushEveryMs, gatherEventsMs: gatherMs } = timings;
  const keepMs = config.keepEventsMs ?? defaultKeepEventsMs;
  const expiry = { held: expiryFrom, paused: expiryFrom, over: expiryFrom };
  const { catalog = createCatalog({ clock, bandwidthPer1M: config.bandwidthPer1M ?? "0" }) } = overrides;
  const { executionLog = {}, localContextTokens = defaultLocalContextTokens } = config;
  const shared = {
    chunks,
    starts: createStartStore(db),
    logs: createExecutionLogs({
      store: createLogStore(db),
      isOn: executionLog.isOn ?? true,
      storedExecutions: async (key) => {
        const { tail } = (await store.find(key)) ?? (await hiddenStore.find(key)) ?? {};
        const recent = (tail ?? "").matchAll(/"executionId":"(\w+)"/g);
        return new Set([...(await chunks.executionsOf(key)), ...Array.from(recent, ([, id = ""]) => id)]);
      },
      limits: { maxEntries: defaultMaxEntries, maxLength: executionLog.maxLength ?? defaultMaxLogLength },
      keepMs: executionLog.keepMs ?? defaultKeepLogMs,
      gatherMs: config.onlyInstance ? timings.logGatherMs : 0,
      maxWaitMs: timings.logWaitMs,
      clock,
      catalog,
      log,
    }),
    histories: createHistories({ chunks, cache, clock, log, newId, archiveLength }),
    inOrder: createInOrder(),
    usage: createUsageLedger(createUsageStore(db), createInOrder()),
    workers: createWorkerStore(db, { onlyHolder }),
    turnMetrics: metrics && new TurnMetrics(metrics, catalog),
    eventStore,
    eventLogs: createTurnLogs({ eventStore, clock, log, flushEveryMs, gatherMs, keepMs }),
    reader: createSessionReader(),
    reads: new FairQueue(readLimits),
    catalog,
    contextWindow: (modelId: string) =>
      catalog.contextLengthOf(modelId) ?? (modelId.startsWith("local/") ? localContextTokens : undefined),
    models,
    fileDelivery: {
      sources: {
        files: config.files && createFiles(config.files, clock),
        fetchFile: createGuardedFetch(guard),
        rules: config.fileRules ?? defaultFileRules,
      },
      budget: new FileBudget({
        maxBytes: config.fileMemoryBytes ?? defaultFileMemoryBytes,
        maxWaitMs: timings.fileRoomMs,
      }),
      images: createImageScaler(),
    },
    linkKeys: config.files?.keys.map((key) => key.reveal()),
    checkUrl: createUrlCheck(guard),
    projectKeys: createProjectKeyCache({
      auth: createRpcClient(AuthService, auth),
      signer,
      clock,
      newId,
    }),
    clock,
    log,
    metrics,
    programs,
    workerLibraries: createWorkerLibraries({ programs, signer }),
    bus,
    executions,
    leases: createLeaseKeeper({ executions, clock, timings }),
    instance,
    onlyHolder,
    timings,
    maxStateBytes: config.maxStateBytes ?? defaultMaxStateBytes,
    maxConversationBytes: config.maxConversationBytes ?? defaultMaxConversationBytes,
    draining,
    newId,
  };
  const never = expiryAfter(0);
  const hidden: HiddenContext = {
    ...shared,
    store: hiddenStore,
    persistence: {
      store: hiddenStore,
      expiry: { held: never, paused: never, over: never },
      keeps: "conversation",
      handOver: hiddenStore.handOver,
      waitsForSpace: true,
    },
    expiryFrom: never,
    get hidden() {
      return hidden;
    },
  };
  return {
    ...shared,
    store,
    // Without another instance, no process would continue a turn: its stream ends with an error that says so.
    persistence: {
      store,
      expiry,
      keeps: "conversation",
      ...(onlyHolder === undefined && { handOver: store.handOver }),
    },
    expiryFrom,
    hidden,
  };
}
