import type { Client, Transport } from "@connectrpc/connect";
import { createComputers, machineIndexes } from "@muster/computers";
import type { Bus } from "@muster/events";
import { createNotices } from "@muster/events";
import { type AuditFields, createAuditOutbox, createAuditor } from "@muster/events/audit";
import { createGuardedFetch, createUrlCheck, type GuardOptions } from "@muster/guarded-fetch";
import { AgentsService } from "@muster/proto/agents";
import { AuditOutboxService } from "@muster/proto/audit";
import { AuthService } from "@muster/proto/auth";
import { SessionsService } from "@muster/proto/sessions";
import {
  type Actor,
  type CallPrincipal,
  callOptions,
  createPrincipalSigner,
  createRpcClient,
  platformPrincipal,
  type ServiceOverrides,
  workforcePrincipal,
} from "@muster/rpc";
import { createIds, createSecretBox, FairQueue, systemClock } from "@muster/service";
import { createFiles, defaultFileRules } from "@muster/storage/files";
import { createRecordings } from "@muster/storage/recordings";
import type { Db } from "mongodb";
import { createAuditStore } from "./audit/audit-store.ts";
import { remoteOutbox } from "./audit/remote-outbox.ts";
import {
  defaultAuditRetentionDays,
  defaultTimings,
  developmentBuild,
  type WorkforceConfig,
} from "./config.ts";
import { createThreadEventStore } from "./events/thread-event-store.ts";
import { createThreadLogs, defaultThreadLogTimings } from "./events/thread-logs.ts";
import { createDeliveryLimits } from "./hooks/delivery-limits.ts";
import { createRecordingStore, recordingIndexes } from "./recordings/recording-store.ts";
import { agentIndexes, createAgentStore } from "./store/agent-store.ts";
import { callbackSecretIndexes, createCallbackSecretStore } from "./store/callback-secret-store.ts";
import { createDeliveryStore } from "./store/delivery-store.ts";
import { createHookDeliveryStore } from "./store/hook-delivery-store.ts";
import { createHookStore, hookIndexes } from "./store/hook-store.ts";
import { createRunStore } from "./store/run-store.ts";
import { createScheduleRunStore } from "./store/schedule-run-store.ts";
import { createScheduleStore, scheduleIndexes } from "./store/schedule-store.ts";
import { createThreadStore } from "./store/thread-store.ts";
import { createWakeUps } from "./store/wake-ups.ts";
import { createWebhookStore, webhookIndexes } from "./store/webhook-store.ts";
import type { ReadThread } from "./views/read-thread.ts";
import { createSharedReads } from "./views/shared-reads.ts";
import { createThreadWatch } from "./views/thread-watch.ts";

/** Dependencies supplied by the process or test. */
export interface WorkforceOverrides extends ServiceOverrides {
  bus: Bus;
  /** Reaches the agents service. */
  agents: Transport;
  /** Reaches the auth service, which has the keys of agents and the limits of projects. */
  auth: Transport;
  /** Reaches the sessions service, which has the conversations and runs them. */
  sessions: Transport;
  /** Which addresses files of messages may be fetched from. Default: public ones. */
  guard?: GuardOptions;
  /** For tests: false starts no process of a sandbox before its command arrives. */
  spareProcess?: boolean | undefined;
  /** From 0 to 1. Default: Math.random. */
  random?: () => number;
}

export interface OwnCallOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
  /** Absent: a new one. */
  requestId?: string;
  /** For whom it makes a change. Absent: itself. */
  actor?: Actor;
}

export interface Services {
  agents: Client<typeof AgentsService>;
  auth: Client<typeof AuthService>;
  sessions: Client<typeof SessionsService>;
}

/** All dependencies of the RPCs and of the runs. */
export type WorkforceContext = ReturnType<typeof createContext>;

/** The collections whose documents carry entries for the audit log. */
const auditedCollections = [
  agentIndexes,
  webhookIndexes,
  callbackSecretIndexes,
  hookIndexes,
  scheduleIndexes,
  recordingIndexes,
  machineIndexes,
].map(({ collection }) => collection);

export function createContext(config: WorkforceConfig, overrides: WorkforceOverrides, db: Db) {
  const {
    bus,
    log,
    agents,
    auth,
    sessions,
    guard,
    spareProcess = true,
    clock = systemClock,
    newId = createIds(),
    metrics,
    random = Math.random,
  } = overrides;
  const instance = newId("run");
  const onlyHolder = config.onlyInstance ? instance : undefined;
  const signer = createPrincipalSigner(config.principalSecrets, clock);
  const as = (principal: CallPrincipal, { requestId = newId("req"), ...options }: OwnCallOptions = {}) =>
    callOptions({ principal: signer.sign(principal), requestId, ...options });
  const callAsPlatform = (options?: OwnCallOptions) => as(platformPrincipal, options);
  const pendingIn = (transport: Transport) =>
    remoteOutbox(createRpcClient(AuditOutboxService, transport), callAsPlatform);
  const notices = createNotices({ newId, clock });
  const threads = createThreadStore(db, metrics, notices);
  const wakeUps = createWakeUps({ bus, log, newId });
  const timings = { ...defaultTimings, ...config.timings };
  const threadEvents = createThreadEventStore(db);
  const hookDeliveries = createHookDeliveryStore(db);
  return {
    /** Workforce agents and their queues. */
    agents: createAgentStore(db, metrics),
    threads,
    runs: createRunStore(db),
    wakeUps,
    /** Callers that wait for threads. */
    watch: createThreadWatch({ threads, wakeUps, timings, log }),
    /** Reads of whole threads, for callers who have waited for the same change. */
    sharedReads: createSharedReads<ReadThread>(),
    services: {
      agents: createRpcClient(AgentsService, agents),
      auth: createRpcClient(AuthService, auth),
      sessions: createRpcClient(SessionsService, sessions),
    },
    /** Options for a call in the name of the workforce service, which acts for a project. Make them again for each call. */
    callFor: (projectId: string, options?: OwnCallOptions) => as(workforcePrincipal(projectId), options),
    /** The same for calls that only the platform itself may make. */
    callAsPlatform,
    /** Identifies this process in leases. */
    instance,
    /** Set to `instance` if no other instance can exist. */
    onlyHolder,
    timings,
    computers: createComputers({
      ...{ db, config: config.computers, clock, log, instance, onlyHolder, spareProcess },
      machineTimings: { waitMs: timings.computerStartMs, ...config.machineTimings },
    }),
    /** Runs on a shared computer, one at a time. */
    computerTurns: new FairQueue({ running: Number.POSITIVE_INFINITY, runningPerOwner: 1 }),
    /** Uploaded files. Undefined: there are none. */
    files: config.files && createFiles(config.files, clock),
    /** Fetches files from URLs of callers. */
    fetchFile: createGuardedFetch(guard),
    /** The rules of files. */
    rules: config.fileRules ?? defaultFileRules,
    /** Throws FetchProblem for a URL that is never fetched. */
    checkUrl: createUrlCheck(guard),
    threadEvents,
    /** Recordings of runs. */
    recordings: createRecordingStore(db, metrics, notices),
    /** Their rendered files. Undefined: there are none, and no run is recorded. */
    recordingFiles: config.recordings && createRecordings(config.recordings, clock),
    /** The events of the runs of this instance. */
    threadLogs: createThreadLogs({
      ...{ store: threadEvents, clock, log },
      newWriter: () => newId("evt"),
      timings: defaultThreadLogTimings,
    }),
    bus,
    /** The events for webhooks that threads, schedules and recordings carry. */
    notices,
    schedules: createScheduleStore(db, notices),
    /** The ledgers of schedules. */
    scheduleRuns: createScheduleRunStore(db),
    webhooks: createWebhookStore(db),
    deliveries: createDeliveryStore(db),
    callbackSecrets: createCallbackSecretStore(db),
    hooks: createHookStore(db),
    hookDeliveries,
    /** Throws RATE_LIMITED if a hook or its project has accepted too many deliveries. */
    limitDeliveries: createDeliveryLimits(clock, hookDeliveries),
    /** Called when this instance has stored a delivery of a hook. Set by those that carry them out. */
    hookArrivals: { onArrival: () => {} },
    /** Encrypts the secrets of webhooks and hooks. */
    secretBox: createSecretBox(config.secretsKeys ?? []),
    webhookFetch: createGuardedFetch({ ...guard, privateHosts: config.webhookAllowedHosts ?? [] }),
    /** Throws FetchProblem for a URL that no webhook can have. */
    checkWebhookUrl: createUrlCheck({ ...guard, privateHosts: config.webhookAllowedHosts ?? [] }),
    /** The build of this process. */
    deployment: config.deployment ?? developmentBuild,
    /** Makes the entries of changes for the audit log. */
    auditEntry: createAuditor({ newId, clock }),
    audit: createAuditStore(db),
    auditRetentionDays: config.auditRetentionDays ?? defaultAuditRetentionDays,
    /** The entries that wait in the documents of each service. */
    auditOutboxes: {
      workforce: createAuditOutbox(
        auditedCollections.map((name) => db.collection<AuditFields & { _id: string }>(name)),
      ),
      auth: pendingIn(auth),
      agents: pendingIn(agents),
      sessions: pendingIn(sessions),
    },
    clock,
    newId,
    random,
    log,
    metrics,
  };
}
