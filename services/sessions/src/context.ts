import type { Transport } from "@connectrpc/connect";
import { type Catalog, createCatalog } from "@muster/catalog";
import { type Bus, createNotices } from "@muster/events";
import { createAuditOutbox, createAuditor } from "@muster/events/audit";
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
import { createFiles } from "@muster/storage/files";
import { createImageScaler } from "@muster/storage/images";
import { createEventStore } from "@muster/store/event-log";
import type { Db } from "mongodb";
import manifest from "../package.json" with { type: "json" };
import { createPrograms } from "./agents/programs.ts";
import { createProjectSettingsCache } from "./agents/project-settings.ts";
import { createWorkerLibraries } from "./agents/worker-libraries.ts";
import {
  defaultKeepLogMs,
  defaultMaxLogLength,
  defaultTimings,
  type SessionsConfig,
  type SessionsDefaults,
  sessionsDefaults,
} from "./config.ts";
import { createHistories } from "./conversations/history/histories.ts";
import { createHistoryCache } from "./conversations/history/history-cache.ts";
import { createExecutionLogs, defaultMaxEntries } from "./conversations/log/execution-logs.ts";
import { createSessionReader, readLimits } from "./conversations/reading/session-reader.ts";
import { createApprovalStore } from "./store/approval-store.ts";
import { createChunkStore } from "./store/chunk-store.ts";
import { createHiddenStore, type HiddenStore } from "./store/hidden-store.ts";
import { createInOrder } from "./store/in-order.ts";
import { type Crossing, createLimitNoticeStore } from "./store/limit-notice-store.ts";
import { createLogStore } from "./store/log-store.ts";
import { createMcpTokenStore } from "./store/mcp-token-store.ts";
import { expiryAfter, type SessionKey } from "./store/moves.ts";
import { createNoticedStore } from "./store/noticed-store.ts";
import type { SessionDocument } from "./store/session-document.ts";
import { sessionIndexes } from "./store/session-indexes.ts";
import { createSessionStore, type SessionStore } from "./store/session-store.ts";
import { createStartStore } from "./store/start-store.ts";
import { trusted } from "./store/state-text.ts";
import { type TurnEvents, turnEventCollection } from "./store/turn-events.ts";
import { createUsageStore, earlierUsage, subjectUsage } from "./store/usage-store.ts";
import { createWorkerStore } from "./store/worker-store.ts";
import { createExecutions, createLeaseKeeper } from "./turns/driver/executions.ts";
import type { Persistence } from "./turns/driver/once-there-is-space.ts";
import { TurnMetrics } from "./turns/driver/turn-metrics.ts";
import { FileBudget } from "./turns/files/file-budget.ts";
import { lazyMcpClient } from "./turns/remote/lazy-mcp-client.ts";
import { createTurnLogs } from "./turns/stream/turn-logs.ts";
import { createSpendingGuard } from "./usage/spending-guard.ts";
import { createUsageLedger } from "./usage/usage-ledger.ts";

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
  /** For aborted turns with long responses, by the bytes that they have received. Default: 8 MiB end at the same time. */
  turnEnds?: FairQueue;
}

type ModelCatalog = Pick<Catalog, "costOf" | "priceVersion" | "knows" | "nameOf" | "contextLengthOf">;

/** All dependencies of the RPCs. */
export interface SessionsContext extends Shared {
  store: SessionStore;
  /** How executions of sessions are stored. */
  persistence: Persistence;
  /** When a session that is active now expires, or a worker that waits for tools. */
  expiryFrom(nowMs: number): Date | null;
  /** The same for the sessions of workforce threads. */
  hidden: HiddenContext;
}

/** The context of calls by the workforce service. */
export interface HiddenContext extends SessionsContext {
  store: HiddenStore;
}

export function createContext(
  given: SessionsConfig,
  overrides: SessionsOverrides,
  db: Db,
  draining: AbortSignal,
): SessionsContext {
  const config = { ...sessionsDefaults, ...given };
  const { newId = createIds(), metrics } = overrides;
  const instance = newId("run");
  const onlyHolder = config.onlyInstance ? instance : undefined;
  const store = createSessionStore(db, { onlyHolder, metrics });
  const hiddenStore = createHiddenStore(db, { onlyHolder, metrics });
  const shared = createShared(config, { ...overrides, newId }, db, {
    ...{ instance, onlyHolder, draining },
    find: async (key) => (await store.find(key)) ?? hiddenStore.find(key),
  });
  const expiryFrom = expiryAfter(config.sessionTtlMs);
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
      continuesDecided: true,
      expiry: { held: expiryFrom, paused: expiryFrom, over: expiryFrom },
      keeps: "conversation",
      ...(onlyHolder === undefined && { handOver: store.handOver }),
    },
    expiryFrom,
    hidden,
  };
}

interface Own {
  /** Identifies this process in leases. */
  instance: string;
  /** Set to `instance` if no other instance can exist. */
  onlyHolder: string | undefined;
  /** Aborted: no new triggers are accepted. */
  draining: AbortSignal;
  find(key: SessionKey): Promise<SessionDocument | null>;
}

type Shared = ReturnType<typeof createShared>;

/** The part that sessions and hidden sessions have in common. */
function createShared(
  config: SessionsConfig & SessionsDefaults,
  overrides: SessionsOverrides & Pick<ServiceContext, "newId">,
  db: Db,
  { find, ...own }: Own,
) {
  const { bus, log, models, agents, auth, guard, clock = systemClock, newId, metrics } = overrides;
  const timings = { ...defaultTimings, ...config.timings };
  const executions = createExecutions();
  const programs = createPrograms(createRpcClient(AgentsService, agents));
  const signer = createPrincipalSigner(config.principalSecrets, clock);
  const authClient = createRpcClient(AuthService, auth);
  const notices = createNotices({ newId, clock });
  const approvals = createApprovalStore(db, notices);
  const limitNotices = createLimitNoticeStore(db, notices);
  const announce = (crossing: Crossing) => {
    log.info({ ...crossing }, "a share of a monthly limit is used");
    limitNotices.insert(crossing, new Date(clock.now())).catch((error: unknown) => {
      log.warn({ err: error, ...crossing }, "webhooks learn nothing of a limit");
    });
  };
  const chunks = createChunkStore(db);
  const cache = createHistoryCache(config.historyCacheBytes);
  const eventStore = createEventStore<TurnEvents>(db, { ...turnEventCollection, settings: trusted });
  const { flushEventsEveryMs: flushEveryMs, gatherEventsMs: gatherMs } = timings;
  const { catalog = createCatalog({ clock, bandwidthPer1M: config.bandwidthPer1M }) } = overrides;
  const projectSettings = createProjectSettingsCache({ auth: authClient, signer, clock, newId });
  const usage = createUsageLedger({
    store: createUsageStore(db),
    subjects: createUsageStore(db, subjectUsage),
    earlier: createUsageStore(db, earlierUsage),
    inOrder: createInOrder(),
    log,
    gatherMs: timings.usageGatherMs,
  });
  const { executionLog = {}, localContextTokens, archiveLength, keepEventsMs: keepMs } = config;
  return {
    ...own,
    chunks,
    /** The sessions that requests with idempotency keys have opened. */
    starts: createStartStore(db),
    logs: createExecutionLogs({
      store: createLogStore(db),
      isOn: executionLog.isOn ?? true,
      storedExecutions: async (key) => {
        const { tail } = (await find(key)) ?? {};
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
    /** Changes of one session's metadata on this instance, one after the other. */
    inOrder: createInOrder(),
    /** The usage of all model calls. */
    usage,
    /** Compares it with the monthly limits. */
    spending: createSpendingGuard({ ledger: usage, limitsOf: projectSettings.limitsOf, clock, announce }),
    approvals,
    /** Makes the entries of changes for the audit log, which the documents carry until it has them. */
    auditEntry: createAuditor({ newId, clock }),
    auditOutbox: createAuditOutbox([
      approvals.collection,
      db.collection<SessionDocument>(sessionIndexes.collection, trusted),
    ]),
    notices,
    noticed: createNoticedStore(db),
    signer,
    workers: createWorkerStore(db, { onlyHolder: own.onlyHolder }),
    /** Undefined: nothing is measured. */
    turnMetrics: metrics && new TurnMetrics(metrics, catalog),
    eventStore,
    /** The event logs of the runs on this instance. */
    eventLogs: createTurnLogs({
      ...{ eventStore, clock, log, flushEveryMs, gatherMs, keepMs },
      isAlone: own.onlyHolder !== undefined,
    }),
    reader: createSessionReader(),
    /** Reads of sessions take turns by project. */
    reads: new FairQueue(readLimits),
    /** Aborted turns take turns by project: the large texts of one end are garbage before the next end makes its own. */
    turnEnds: overrides.turnEnds ?? new FairQueue({ running: 2 * 1024 * 1024 }),
    catalog,
    /** The context window of a model in tokens; undefined if it is not known. */
    contextWindow: (modelId: string) =>
      catalog.contextLengthOf(modelId) ?? (modelId.startsWith("local/") ? localContextTokens : undefined),
    models,
    /** Puts files into model calls. */
    fileDelivery: {
      sources: {
        files: config.files && createFiles(config.files, clock),
        fetchFile: createGuardedFetch(guard),
        rules: config.fileRules,
      },
      budget: new FileBudget({
        maxBytes: config.fileMemoryBytes,
        maxWaitMs: timings.fileRoomMs,
      }),
      images: createImageScaler(),
    },
    mcp: lazyMcpClient({
      version: manifest.version,
      guard: { ...guard, privateHosts: config.mcpAllowedHosts },
      tokens: createMcpTokenStore(db, { clock, newId }),
      clock,
    }),
    /** Each call has a connection, and up to 10 MiB. */
    remoteQueue: new FairQueue({ running: 128, runningPerOwner: 32 }),
    toolFetch: createGuardedFetch({ ...guard, privateHosts: config.toolAllowedHosts }),
    /** The revealed secrets that sign download URLs. Undefined: there are no uploaded files. */
    linkKeys: config.files?.keys.map((key) => key.reveal()),
    /** Throws FetchProblem for a URL that is never fetched. */
    checkUrl: createUrlCheck(guard),
    auth: authClient,
    projectSettings,
    clock,
    log,
    metrics,
    programs,
    workerLibraries: createWorkerLibraries({ programs, signer }),
    bus,
    executions,
    leases: createLeaseKeeper({ executions, clock, timings }),
    timings,
    /** Limit for a session's document: its input, its messages that are not archived, and its pause. */
    maxStateBytes: config.maxStateBytes,
    /** Limit for a session's conversation, archived or not. */
    maxConversationBytes: config.maxConversationBytes,
    newId,
  };
}
