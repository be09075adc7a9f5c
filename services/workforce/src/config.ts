import { type Environment, readListen, readPrincipalSecret, type Secret } from "@muster/service";

export interface WorkforceConfig {
  /** Where to serve gRPC. Absent: the caller mounts the handlers itself. */
  listen?: { host: string; port: number };
  /** Shared by all services; signs who is calling. */
  principalSecret: Secret;
}

/** Throws ConfigError, naming the variable, when something is missing or wrong. */
export function readWorkforceConfig(env: Environment): WorkforceConfig {
  return {
    listen: readListen(env, "WORKFORCE", 7004),
    principalSecret: readPrincipalSecret(env),
  };
}
