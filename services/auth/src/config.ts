import {
  ConfigError,
  type Environment,
  readBusUrl,
  readEnvironment,
  readListen,
  readPrincipalSecret,
  readStoreSettings,
  type Secret,
} from "@muster/service";
import { isCredential } from "./credential.ts";

export interface AuthConfig {
  store: {
    uri: string;
    /** The database is `<databasePrefix>_auth`. */
    databasePrefix: string;
  };
  /** Presets the secret of the bootstrap key. Absent: the first start makes one up. */
  adminKey?: Secret;
  /** Where to serve gRPC. Absent: the caller mounts the handlers itself. */
  listen?: { host: string; port: number };
  /** Shared by all services; signs who is calling. */
  principalSecret: Secret;
}

/** Settings of the process on its own, which also needs a bus. */
export interface AuthProcessConfig extends AuthConfig {
  natsUrl: string;
}

/** Throws ConfigError, naming the variable, when something is missing or wrong. */
export function readAuthConfig(env: Environment): AuthProcessConfig {
  const adminKey = readAdminKey(env);
  return {
    store: readStoreSettings(env),
    ...(adminKey ? { adminKey } : {}),
    listen: readListen(env, "AUTH", 7001),
    principalSecret: readPrincipalSecret(env),
    natsUrl: readBusUrl(env),
  };
}

/** `MUSTER_ADMIN_KEY`, checked. A weak one is refused: it would open everything. */
export function readAdminKey(env: Environment): Secret | undefined {
  const adminKey = readEnvironment(env).secret("MUSTER_ADMIN_KEY");
  if (adminKey && !isCredential(adminKey.reveal())) {
    throw new ConfigError(
      "MUSTER_ADMIN_KEY",
      "must be svc_sk_ followed by 32 to 128 letters, digits, - or _ (for example svc_sk_$(openssl rand -hex 24))",
    );
  }
  return adminKey;
}
