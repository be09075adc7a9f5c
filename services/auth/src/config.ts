import { ConfigError, type Environment, readEnvironment, Secret } from "@muster/service";
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
  const read = readEnvironment(env);
  const adminKey = readAdminKey(env);
  return {
    store: {
      uri: read.required("MONGODB_URI"),
      databasePrefix: read.string("MUSTER_DATABASE_PREFIX") ?? "muster",
    },
    ...(adminKey ? { adminKey } : {}),
    listen: {
      host: read.string("AUTH_HOST") ?? "0.0.0.0",
      port: read.integer("AUTH_PORT", 7001, { min: 0, max: 65_535 }),
    },
    principalSecret: new Secret(read.required("MUSTER_PRINCIPAL_SECRET")),
    natsUrl: read.required("NATS_URL"),
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
