import { type Environment, readEnvironment, Secret } from "@muster/service";

export interface WorkforceConfig {
  /** Where to serve gRPC. Absent: the caller mounts the handlers itself. */
  listen?: { host: string; port: number };
  /** Shared by all services; signs who is calling. */
  principalSecret: Secret;
}

/** Throws ConfigError, naming the variable, when something is missing or wrong. */
export function readWorkforceConfig(env: Environment): WorkforceConfig {
  const read = readEnvironment(env);
  return {
    listen: {
      host: read.string("WORKFORCE_HOST") ?? "0.0.0.0",
      port: read.integer("WORKFORCE_PORT", 7004, { min: 0, max: 65_535 }),
    },
    principalSecret: new Secret(read.required("MUSTER_PRINCIPAL_SECRET")),
  };
}
