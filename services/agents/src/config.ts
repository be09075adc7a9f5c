import {
  type Environment,
  readListen,
  readPrincipalSecret,
  readStoreSettings,
  type Secret,
} from "@muster/service";

export interface AgentsConfig {
  store: {
    uri: string;
    /** The database is `<databasePrefix>_agents`. */
    databasePrefix: string;
  };
  /** Where to serve gRPC. Absent: the caller mounts the handlers itself. */
  listen?: { host: string; port: number };
  /** Shared by all services; signs who is calling. */
  principalSecret: Secret;
  /** How long checking one definition may take. 2 s unless given: the slowest that the limits allow needs about 0.3 s. */
  compileTimeoutMs?: number;
}

/** Settings of the process on its own. Throws ConfigError, naming the variable, when one is missing or wrong. */
export function readAgentsConfig(env: Environment): AgentsConfig {
  return {
    store: readStoreSettings(env),
    listen: readListen(env, "AGENTS", 7002),
    principalSecret: readPrincipalSecret(env),
  };
}
