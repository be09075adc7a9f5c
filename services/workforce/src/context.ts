import type { CallOptions, Client, Transport } from "@connectrpc/connect";
import { type Computers, createComputers } from "@muster/computers";
import type { Bus } from "@muster/events";
import {
  createGuardedFetch,
  createUrlCheck,
  type GuardedFetch,
  type GuardOptions,
} from "@muster/guarded-fetch";
import { AgentsService } from "@muster/proto/agents";
import { AuthService } from "@muster/proto/auth";
import { SessionsService } from "@muster/proto/sessions";
import {
  type CallPrincipal,
  callOptions,
  createPrincipalSigner,
  createRpcClient,
  platformPrincipal,
  type ServiceContext,
  type ServiceOverrides,
  workforcePrincipal,
} from "@muster/rpc";
import { createIds, systemClock } from "@muster/service";
import { createFiles, defaultFileRules, type FileRules, type Files } from "@muster/storage/files";
import { createRecordings, type Recordings } from "@muster/storage/recordings";
import type { Db } from "mongodb";
import {
  type Deployment,
  defaultTimings,
  developmentBuild,
  type Timings,
  type WorkforceConfig,
} from "./config.ts";
import { createThreadEventStore, type ThreadEventStore } from "./events/thread-event-store.ts";
import { createThreadLogs, defaultThreadLogTimings, type ThreadLogs } from "./events/thread-logs.ts";
import { createRecordingStore, type RecordingStore } from "./recordings/recording-store.ts";
import { type AgentStore, createAgentStore } from "./store/agent-store.ts";
import { createRunStore, type RunStore } from "./store/run-store.ts";
import { createThreadStore, type ThreadStore } from "./store/thread-store.ts";
import { createWakeUps, type WakeUps } from "./store/wake-ups.ts";
import type { ReadThread } from "./views/read-thread.ts";
import { createSharedReads, type SharedReads } from "./views/shared-reads.ts";
import { createThreadWatch, type ThreadWatch } from "./views/thread-watch.ts";

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
}

/** All dependencies of the RPCs and of the runs. */
export interface WorkforceContext extends ServiceContext {
  /** Workforce agents and their queues. */
  agents: AgentStore;
  threads: ThreadStore;
  runs: RunStore;
  wakeUps: WakeUps;
  /** Callers that wait for threads. */
  watch: ThreadWatch;
  /** Reads of whole threads, for callers who have waited for the same change. */
  sharedReads: SharedReads<ReadThread>;
  services: Services;
  /**
   * Options for a call in the name of the workforce service, which acts for a project. Make them again for each call.
   */
  callFor(projectId: string, options?: OwnCallOptions): CallOptions;
  /** The same for calls that only the platform itself may make. */
  callAsPlatform(options?: OwnCallOptions): CallOptions;
  /** Identifies this process in leases. */
  instance: string;
  /** Set to `instance` if no other instance can exist. */
  onlyHolder: string | undefined;
  timings: Timings;
  computers: Computers;
  /** Uploaded files. Undefined: there are none. */
  files: Files | undefined;
  /** Fetches files from URLs of callers. */
  fetchFile: GuardedFetch;
  /** The rules of files. */
  rules: FileRules;
  /** Throws FetchProblem for a URL that is never fetched. */
  checkUrl: (url: string) => URL;
  threadEvents: ThreadEventStore;
  /** Recordings of runs. */
  recordings: RecordingStore;
  /** Their rendered files. Undefined: there are none, and no run is recorded. */
  recordingFiles: Recordings | undefined;
  /** The events of the runs of this instance. */
  threadLogs: ThreadLogs;
  /** The build of this process. */
  deployment: Deployment;
}

export interface OwnCallOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
  /** Absent: a new one. */
  requestId?: string;
}

export interface Services {
  agents: Client<typeof AgentsService>;
  auth: Client<typeof AuthService>;
  sessions: Client<typeof SessionsService>;
}

export function createContext(
  config: WorkforceConfig,
  overrides: WorkforceOverrides,
  db: Db,
): WorkforceContext {
  const {
    bus,
    log,
    agents,
    auth,
    sessions,
    guard,
    clock = systemClock,
    newId = createIds(),
    metrics,
  } = overrides;
  const instance = newId("run");
  const signer = createPrincipalSigner(config.principalSecrets, clock);
  const as = (principal: CallPrincipal, { requestId = newId("req"), ...options }: OwnCallOptions = {}) =>
    callOptions({ principal: signer.sign(principal), requestId, ...options });
  const threads = createThreadStore(db, metrics);
  const wakeUps = createWakeUps({ bus, log, newId });
  const timings = { ...defaultTimings, ...config.timings };
  const threadEvents = createThreadEventStore(db);
  return {
    agents: createAgentStore(db, metrics),
    threads,
    runs: createRunStore(db),
    wakeUps,
    watch: createThreadWatch({ threads, wakeUps, timings, log }),
    sharedReads: createSharedReads(),
    services: {
      agents: createRpcClient(AgentsService, agents),
      auth: createRpcClient(AuthService, auth),
      sessions: createRpcClient(SessionsService, sessions),
    },
    callFor: (projectId, options) => as(workforcePrincipal(projectId), options),
    callAsPlatform: (options) => as(platformPrincipal, options),
    instance,
    onlyHolder: config.onlyInstance ? instance : undefined,
    timings,
    computers: createComputers({ db, config: config.computers, clock, log }),
    files: config.files && createFiles(config.files, clock),
    fetchFile: createGuardedFetch(guard),
    rules: config.fileRules ?? defaultFileRules,
    checkUrl: createUrlCheck(guard),
    threadEvents,
    recordings: createRecordingStore(db, metrics),
    recordingFiles: config.recordings && createRecordings(config.recordings, clock),
    threadLogs: createThreadLogs({
      ...{ store: threadEvents, clock, log },
      newWriter: () => newId("evt"),
      timings: defaultThreadLogTimings,
    }),
    deployment: config.deployment ?? developmentBuild,
    clock,
    newId,
    log,
    metrics,
  };
}
