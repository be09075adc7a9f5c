import { type Environment, readEnvironment, Secret } from "@muster/service";

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
  /** How long checking one definition may take; 3 s unless given. */
  compileTimeoutMs?: number;
}

/** Settings of the process on its own. Throws ConfigError, naming the variable, when one is missing or wrong. */
export function readAgentsConfig(env: Environment): AgentsConfig {
  const read = readEnvironment(env);
  return {
    store: {
      uri: read.required("MONGODB_URI"),
      databasePrefix: read.string("MUSTER_DATABASE_PREFIX") ?? "muster",
    },
    listen: {
      host: read.string("AGENTS_HOST") ?? "0.0.0.0",
      port: read.integer("AGENTS_PORT", 7002, { min: 0, max: 65_535 }),
    },
    principalSecret: new Secret(read.required("MUSTER_PRINCIPAL_SECRET")),
  };
}
