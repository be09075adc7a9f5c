import {
  type Environment,
  readAddresses,
  readBandwidthFee,
  readBusUrl,
  readEnvironment,
  readListen,
  readPrincipalSecret,
  readStoreSettings,
  type Secret,
} from "@muster/service";

export interface SessionsConfig {
  store: {
    uri: string;
    /** The database is `<databasePrefix>_sessions`. */
    databasePrefix: string;
  };
  /** Where to serve gRPC. Absent: the caller mounts the handlers itself. */
  listen?: { host: string; port: number };
  /** Shared by all services; signs who is calling. */
  principalSecret: Secret;
  /** A session without activity for so long expires. 0 means never; 24 hours unless given. */
  sessionTtlMs?: number;
  /** The platform's fee in US dollars for a million tokens, a decimal number. "0" unless given. */
  bandwidthPer1M?: string;
  /**
   * There can be no other instance on this store, so that leases of other holders are those of dead processes:
   * sessions that a crash left locked can go on at once. False unless given.
   */
  onlyInstance?: boolean;
  /** Differences from `defaultTimings`, for tests. */
  timings?: Partial<Timings>;
  /** Conversation and pause of one session, in bytes of JSON. Absent means `defaultMaxStateBytes`. */
  maxStateBytes?: number;
}

export interface Timings {
  /** A holder that does not renew its lease for so long counts as dead. */
  leaseMs: number;
  renewEveryMs: number;
  /** A trigger waits so long for the execution before it. */
  busyWaitMs: number;
  /** Executions may go on for so long after `stop`. */
  drainMs: number;
  /** A turn whose first model step takes longer is stored once on the way. */
  earlySaveMs: number;
  /** How often the state of expired sessions is removed. */
  sweepEveryMs: number;
}

export const defaultTimings: Timings = {
  leaseMs: 10_000,
  renewEveryMs: 3_000,
  busyWaitMs: 2_000,
  drainMs: 15_000,
  earlySaveMs: 1_000,
  sweepEveryMs: 60_000,
};

export const defaultSessionTtlMs = 24 * 3_600_000;

/** A document may have 16 MB and a message between services 12 MiB: a session must fit both, to be stored and read. */
export const defaultMaxStateBytes = 11 * 1024 * 1024;

/** Settings of the process on its own, which also needs a bus and the agents service. */
export interface SessionsProcessConfig extends SessionsConfig {
  natsUrl: string;
  /** `host:port` or a gRPC target such as `dns:///agents:7002`. */
  agentsAddresses: string[];
}

const maxTtlHours = 24 * 366 * 10;

/** Throws ConfigError, naming the variable, when something is missing or wrong. */
export function readSessionsConfig(env: Environment): SessionsProcessConfig {
  return {
    store: readStoreSettings(env),
    listen: readListen(env, "SESSIONS", 7003),
    principalSecret: readPrincipalSecret(env),
    sessionTtlMs: readSessionTtlMs(env),
    bandwidthPer1M: readBandwidthFee(env),
    natsUrl: readBusUrl(env),
    agentsAddresses: readAddresses(env, "AGENTS_ADDRESSES"),
  };
}

/** `SESSION_TTL_HOURS`: whole hours, 0 for never, 24 unless set. */
export function readSessionTtlMs(env: Environment): number {
  return readEnvironment(env).integer("SESSION_TTL_HOURS", 24, { min: 0, max: maxTtlHours }) * 3_600_000;
}
