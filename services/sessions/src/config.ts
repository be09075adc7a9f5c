import { type Environment, readEnvironment, Secret } from "@muster/service";

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
  /** How often the state of expired sessions is removed. */
  sweepEveryMs: number;
}

export const defaultTimings: Timings = {
  leaseMs: 10_000,
  renewEveryMs: 3_000,
  busyWaitMs: 2_000,
  drainMs: 15_000,
  sweepEveryMs: 60_000,
};

export const defaultSessionTtlMs = 24 * 3_600_000;

/** A document may have 16 MB; half of it, so that a session can also be read in one message. */
export const defaultMaxStateBytes = 7 * 1024 * 1024;

/** Settings of the process on its own, which also needs a bus and the agents service. */
export interface SessionsProcessConfig extends SessionsConfig {
  natsUrl: string;
  /** `host:port` or a gRPC target such as `dns:///agents:7002`. */
  agentsAddresses: string[];
}

const maxTtlHours = 24 * 366 * 10;

/** Throws ConfigError, naming the variable, when something is missing or wrong. */
export function readSessionsConfig(env: Environment): SessionsProcessConfig {
  const read = readEnvironment(env);
  return {
    store: {
      uri: read.required("MONGODB_URI"),
      databasePrefix: read.string("MUSTER_DATABASE_PREFIX") ?? "muster",
    },
    listen: {
      host: read.string("SESSIONS_HOST") ?? "0.0.0.0",
      port: read.integer("SESSIONS_PORT", 7003, { min: 0, max: 65_535 }),
    },
    principalSecret: new Secret(read.required("MUSTER_PRINCIPAL_SECRET")),
    sessionTtlMs: readSessionTtlMs(env),
    natsUrl: read.required("NATS_URL"),
    agentsAddresses: read
      .required("AGENTS_ADDRESSES")
      .split(",")
      .map((address) => address.trim()),
  };
}

/** `SESSION_TTL_HOURS`: whole hours, 0 for never, 24 unless set. */
export function readSessionTtlMs(env: Environment): number {
  return readEnvironment(env).integer("SESSION_TTL_HOURS", 24, { min: 0, max: maxTtlHours }) * 3_600_000;
}
