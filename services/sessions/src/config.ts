import { readHosts } from "@muster/guarded-fetch";
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
  defaultFileRules,
  type FilesSettings,
  fileLimits,
  readFileRules,
  readFilesSettings,
} from "@muster/storage/files";

export interface ExecutionLogSettings {
  /** Default: true. */
  isOn?: boolean;
  /** How long entries are kept at most; they are removed with their session in any case. 0: as long as it exists. */
  keepMs?: number;
  /** Limit for the log of one session, in characters of JSON; the oldest entries go. */
  maxLength?: number;
}

export interface SessionsConfig extends ServiceSettings, Partial<SessionsDefaults> {
  store: StoreSettings;
  /** Defaults: on, 30 days, 16 MiB. */
  executionLog?: ExecutionLogSettings;
  /** Overrides of `defaultTimings`, for tests. */
  timings?: Partial<Timings>;
  /** Where uploaded files lie. Absent: there are none. */
  files?: FilesSettings;
}

const mib = 1024 * 1024;

export type SessionsDefaults = typeof sessionsDefaults;

/** The settings that have a default. */
export const sessionsDefaults = {
  /** A session that is inactive for this long expires. 0 means never. */
  sessionTtlMs: 24 * 3_600_000,
  /** The platform's fee in US dollars per million tokens, a decimal number. */
  bandwidthPer1M: "0",
  /**
   * No other instance can use this store, so leases of other holders belong to dead processes: sessions that a
   * crash left locked can continue at once.
   */
  onlyInstance: false,
  /** Limit for the document of one session, in bytes of JSON. A document may have 16 MB. */
  maxStateBytes: 11 * mib,
  /** Limit for a whole conversation, in bytes of JSON. It is loaded as a whole for its model. */
  maxConversationBytes: 32 * mib,
  /** For the archived messages of recent sessions, in bytes of JSON. */
  historyCacheBytes: 64 * mib,
  /** How long the events of an execution can be read after its end. */
  keepEventsMs: 15 * 60_000,
  /**
   * The context window of `local/…` models, in tokens. Their servers do not report theirs, and some of them cut longer
   * prompts without a word.
   */
  localContextTokens: 32_000,
  fileRules: defaultFileRules,
  /** Hosts of MCP servers that may have private addresses and use http, and endings of names (`.corp.internal`). */
  mcpAllowedHosts: [] as string[],
  /** The same for HTTP tools. */
  toolAllowedHosts: [] as string[],
  /** For the files in model calls, in bytes. */
  fileMemoryBytes: 300_000_000,
  /**
   * Finished messages are archived when this many characters have gathered. Every turn reads and writes up to this much,
   * beside its own messages.
   */
  archiveLength: 32 * 1024,
};

export type Timings = typeof defaultTimings;

// A lease was renewed at most one and a half intervals ago, so a holder may be suspended for ten seconds at any time.
export const defaultTimings = {
  /** A holder that does not renew its lease for this long counts as dead, and others may take its sessions. */
  leaseMs: 15_000,
  renewEveryMs: 3_000,
  /** How long a trigger waits for the previous execution. */
  busyWaitMs: 2_000,
  /** How long executions may keep running after `stop`. */
  drainMs: 15_000,
  /** A turn whose first model step takes longer than this is stored once during that step. */
  earlySaveMs: 1_000,
  /** How often the state of expired sessions is removed. */
  sweepEveryMs: 60_000,
  /** How long entries of execution logs gather before they are written, if no other instance can read them. */
  logGatherMs: 200,
  /** How long usage records that no limit counts gather before they are stored. */
  usageGatherMs: 1_000,
  /** How long a reader of a log, or the end of a worker execution, waits for entries at most. */
  logWaitMs: 250,
  /** How often the events of running executions are stored. */
  flushEventsEveryMs: 1_000,
  /** How long events gather after a command, so that turns that end soon after one another share the next. */
  gatherEventsMs: 20,
  /** How often a reader of an execution on another instance looks for new events, while that renews its lease. */
  pollEventsEveryMs: 250,
  /** How often a reader of a turn that waits for decisions looks whether it continues. */
  pollAskingEveryMs: 500,
  /** How often approvals are looked for that have expired, or whose process has died. */
  sweepApprovalsEveryMs: 2_000,
  /** How long a server may take to list its tools at the beginning of a turn. */
  listToolsMs: 5_000,
  /** How long a model call waits for room for its files. */
  fileRoomMs: 60_000,
};

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
    ...readRemoteSettings(env),
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
  return readEnvironment(env).integer("MODEL_FILES_MEMORY_BYTES", sessionsDefaults.fileMemoryBytes, bounds);
}

/** `CONVERSATION_MAX_BYTES`, `CONVERSATION_CACHE_BYTES`, `STREAM_EVENTS_MINUTES`, `LOCAL_CONTEXT_TOKENS`. */
export function readHistorySettings(env: Environment) {
  const { maxConversationBytes, historyCacheBytes, localContextTokens } = sessionsDefaults;
  const read = readEnvironment(env);
  const bounds = { min: mib, max: 1024 * mib };
  return {
    maxConversationBytes: read.integer("CONVERSATION_MAX_BYTES", maxConversationBytes, bounds),
    historyCacheBytes: read.integer("CONVERSATION_CACHE_BYTES", historyCacheBytes, bounds),
    keepEventsMs: read.integer("STREAM_EVENTS_MINUTES", 15, { min: 1, max: 24 * 60 }) * 60_000,
    localContextTokens: read.integer("LOCAL_CONTEXT_TOKENS", localContextTokens, {
      min: 1_000,
      max: 100_000_000,
    }),
  };
}

/** `MCP_ALLOWED_HOSTS`, `TOOL_ALLOWED_HOSTS`: hosts in the operator's own network. Throws ConfigError. */
export function readRemoteSettings(env: Environment) {
  return {
    mcpAllowedHosts: readHosts(env, "MCP_ALLOWED_HOSTS"),
    toolAllowedHosts: readHosts(env, "TOOL_ALLOWED_HOSTS"),
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
