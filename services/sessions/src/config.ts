import { type MetricsSettings, readMetricsSettings } from "@muster/metrics";
import {
  type Environment,
  readAddresses,
  readBandwidthFee,
  readBusUrl,
  readEnvironment,
  readServiceSettings,
  readStoreSettings,
  type ServiceSettings,
  type StoreSettings,
} from "@muster/service";
import {
  type FileRules,
  type FilesSettings,
  fileLimits,
  readFileRules,
  readFilesSettings,
} from "@muster/storage/files";

export interface HistorySettings {
  /** Limit for a whole conversation, in bytes of JSON. Default: `defaultMaxConversationBytes`. */
  maxConversationBytes?: number;
  /** For the archived messages of recent sessions, in bytes of JSON. Default: `defaultHistoryCacheBytes`. */
  historyCacheBytes?: number;
  /** How long the events of a turn can be read after its end. Default: `defaultKeepEventsMs`. */
  keepEventsMs?: number;
  /** The context window of `local/…` models, in tokens. Default: `defaultLocalContextTokens`. */
  localContextTokens?: number;
}

export interface ExecutionLogSettings {
  /** Default: true. */
  isOn?: boolean;
  /** How long entries are kept at most; they are removed with their session in any case. 0: as long as it exists. */
  keepMs?: number;
  /** Limit for the log of one session, in characters of JSON; the oldest entries go. */
  maxLength?: number;
}

export interface SessionsConfig extends ServiceSettings, HistorySettings {
  store: StoreSettings;
  /** Defaults: on, 30 days, `defaultMaxLogLength`. */
  executionLog?: ExecutionLogSettings;
  /** A session that is inactive for this long expires. 0 means never. Default: 24 hours. */
  sessionTtlMs?: number;
  /** The platform's fee in US dollars per million tokens, a decimal number. Default: "0". */
  bandwidthPer1M?: string;
  /**
   * No other instance can use this store, so leases of other holders belong to dead processes: sessions that a
   * crash left locked can continue at once. Default: false.
   */
  onlyInstance?: boolean;
  /** Overrides of `defaultTimings`, for tests. */
  timings?: Partial<Timings>;
  /** Limit for the document of one session, in bytes of JSON. Default: `defaultMaxStateBytes`. */
  maxStateBytes?: number;
  /** Where uploaded files lie. Absent: there are none. */
  files?: FilesSettings;
  /** Default: `defaultFileRules`. */
  fileRules?: FileRules;
  /** For the files in model calls, in bytes. Default: `defaultFileMemoryBytes`. */
  fileMemoryBytes?: number;
  /** Finished messages are archived when this many characters have gathered. Default: `defaultArchiveLength`. */
  archiveLength?: number;
}

export const defaultFileMemoryBytes = 300_000_000;

export interface Timings {
  /** A holder that does not renew its lease for this long counts as dead, and others may take its sessions. */
  leaseMs: number;
  renewEveryMs: number;
  /** How long a trigger waits for the previous execution. */
  busyWaitMs: number;
  /** How long executions may keep running after `stop`. */
  drainMs: number;
  /** A turn whose first model step takes longer than this is stored once during that step. */
  earlySaveMs: number;
  /** How often the state of expired sessions is removed. */
  sweepEveryMs: number;
  /** How long entries of execution logs gather before they are written, if no other instance can read them. */
  logGatherMs: number;
  /** How long the end of a turn waits for its log, if the store hangs. */
  logWaitMs: number;
  /** How often the events of running executions are stored. */
  flushEventsEveryMs: number;
  /** How long events gather after a command, so that turns that end soon after one another share the next. */
  gatherEventsMs: number;
  /** How often a reader of an execution on another instance looks for new events, while that renews its lease. */
  pollEventsEveryMs: number;
  /** How long a model call waits for room for its files. */
  fileRoomMs: number;
}

// A lease was renewed at most one and a half intervals ago, so a holder may be suspended for ten seconds at any time.
export const defaultTimings: Timings = {
  leaseMs: 15_000,
  renewEveryMs: 3_000,
  busyWaitMs: 2_000,
  drainMs: 15_000,
  earlySaveMs: 1_000,
  sweepEveryMs: 60_000,
  logGatherMs: 200,
  logWaitMs: 250,
  flushEventsEveryMs: 1_000,
  gatherEventsMs: 20,
  pollEventsEveryMs: 250,
  fileRoomMs: 60_000,
};

export const defaultSessionTtlMs = 24 * 3_600_000;

/** How long the events of an execution can be read after its end. */
export const defaultKeepEventsMs = 15 * 60_000;

const mib = 1024 * 1024;

/** A document may have 16 MB. */
export const defaultMaxStateBytes = 11 * mib;

/** A conversation is loaded as a whole for its model. */
export const defaultMaxConversationBytes = 32 * mib;

export const defaultHistoryCacheBytes = 64 * mib;

/** Servers of local models do not report theirs, and some of them cut longer prompts without a word. */
export const defaultLocalContextTokens = 32_000;

/** Every turn reads and writes up to this much, beside its own messages. */
export const defaultArchiveLength = 32 * 1024;

export const defaultKeepLogMs = 30 * 24 * 3_600_000;

export const defaultMaxLogLength = 16 * mib;

/** Settings of the standalone process, which also needs a bus and two other services. */
export interface SessionsProcessConfig extends SessionsConfig {
  natsUrl: string;
  /** Undefined: nothing is measured. */
  metrics: MetricsSettings | undefined;
  /** `host:port` or a gRPC target such as `dns:///agents:7002`. */
  agentsAddresses: string[];
  authAddresses: string[];
}

const maxTtlHours = 24 * 366 * 10;

/** Throws a ConfigError that names the variable if a setting is missing or invalid. */
export function readSessionsConfig(env: Environment): SessionsProcessConfig {
  const service = readServiceSettings(env, "SESSIONS", 7003);
  const files = readFilesSettings(env);
  return {
    store: readStoreSettings(env),
    ...(files && { files }),
    fileRules: readFileRules(env),
    fileMemoryBytes: readFileMemoryBytes(env),
    ...service,
    metrics: readMetricsSettings(env, { ...service.listen, setting: "SESSIONS_PORT" }),
    sessionTtlMs: readSessionTtlMs(env),
    ...readHistorySettings(env),
    executionLog: readExecutionLogSettings(env),
    bandwidthPer1M: readBandwidthFee(env),
    natsUrl: readBusUrl(env),
    agentsAddresses: readAddresses(env, "AGENTS_ADDRESSES"),
    authAddresses: readAddresses(env, "AUTH_ADDRESSES"),
  };
}

/** `SESSION_TTL_HOURS`: whole hours, 0 for never. Default: 24. */
export function readSessionTtlMs(env: Environment): number {
  return readEnvironment(env).integer("SESSION_TTL_HOURS", 24, { min: 0, max: maxTtlHours }) * 3_600_000;
}

/** `MODEL_FILES_MEMORY_BYTES`. */
export function readFileMemoryBytes(env: Environment): number {
  const bounds = { min: fileLimits.callBytes, max: 100_000_000_000 };
  return readEnvironment(env).integer("MODEL_FILES_MEMORY_BYTES", defaultFileMemoryBytes, bounds);
}

/** `CONVERSATION_MAX_BYTES`, `CONVERSATION_CACHE_BYTES`, `STREAM_EVENTS_MINUTES`, `LOCAL_CONTEXT_TOKENS`. */
export function readHistorySettings(env: Environment): Required<HistorySettings> {
  const read = readEnvironment(env);
  const bounds = { min: mib, max: 1024 * mib };
  return {
    maxConversationBytes: read.integer("CONVERSATION_MAX_BYTES", defaultMaxConversationBytes, bounds),
    historyCacheBytes: read.integer("CONVERSATION_CACHE_BYTES", defaultHistoryCacheBytes, bounds),
    keepEventsMs: read.integer("STREAM_EVENTS_MINUTES", 15, { min: 1, max: 24 * 60 }) * 60_000,
    localContextTokens: read.integer("LOCAL_CONTEXT_TOKENS", defaultLocalContextTokens, {
      min: 1_000,
      max: 100_000_000,
    }),
  };
}

/** `EXECUTION_LOG`, `EXECUTION_LOG_HOURS`, `EXECUTION_LOG_MAX_BYTES`. */
export function readExecutionLogSettings(env: Environment): Required<ExecutionLogSettings> {
  const read = readEnvironment(env);
  const keepHours = defaultKeepLogMs / 3_600_000;
  return {
    isOn: read.oneOf("EXECUTION_LOG", ["on", "off"], "on") === "on",
    keepMs: read.integer("EXECUTION_LOG_HOURS", keepHours, { min: 0, max: maxTtlHours }) * 3_600_000,
    maxLength: read.integer("EXECUTION_LOG_MAX_BYTES", defaultMaxLogLength, { min: mib, max: 1024 * mib }),
  };
}
