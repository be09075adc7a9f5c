import { parseOrigin } from "@muster/guarded-fetch";
import { type MetricsSettings, readMetricsSettings } from "@muster/metrics";
import {
  ConfigError,
  type Environment,
  readBusUrl,
  readEnvironment,
  readSecretsKeys,
  readServiceSettings,
  readStoreSettings,
  type Secret,
  type ServiceSettings,
  type StoreSettings,
} from "@muster/service";
import { formOf } from "@muster/service/credentials";

export interface AuthConfig extends ServiceSettings {
  store: StoreSettings;
  /** Presets the secret of the bootstrap key. If absent, the first start generates one. */
  adminKey?: Secret;
  /** See `readSecretsKeys`. Default: none, so that keys of model providers cannot be stored. */
  secretsKeys?: readonly Secret[];
  /** How the keys of identity providers are fetched. Default: only from public https addresses. */
  federation?: FederationSettings;
}

export interface FederationSettings {
  /** See `readFederationSettings`. */
  privateOrigins?: readonly string[];
}

/** Settings of the standalone process, which also needs a bus. */
export interface AuthProcessConfig extends AuthConfig {
  natsUrl: string;
  /** Undefined: nothing is measured. */
  metrics: MetricsSettings | undefined;
}

/** Throws ConfigError with the name of a missing or invalid variable. */
export function readAuthConfig(env: Environment): AuthProcessConfig {
  const adminKey = readAdminKey(env);
  const service = readServiceSettings(env, "AUTH", 7001);
  return {
    store: readStoreSettings(env),
    ...service,
    metrics: readMetricsSettings(env, { ...service.listen, setting: "AUTH_PORT" }),
    ...(adminKey ? { adminKey } : {}),
    secretsKeys: readSecretsKeys(env),
    federation: readFederationSettings(env),
    natsUrl: readBusUrl(env),
  };
}

/** `MUSTER_ADMIN_KEY`. A weak key is refused, because it grants access to everything. */
export function readAdminKey(env: Environment): Secret | undefined {
  const adminKey = readEnvironment(env).secret("MUSTER_ADMIN_KEY");
  if (adminKey && formOf(adminKey.reveal()) !== "key") {
    throw new ConfigError(
      "MUSTER_ADMIN_KEY",
      "must be svc_sk_ followed by 32 to 128 letters, digits, - or _ (for example svc_sk_$(openssl rand -hex 24)), or an unchanged key that Muster has generated",
    );
  }
  return adminKey;
}

/**
 * `FEDERATION_PRIVATE_ORIGINS`: origins of identity providers in the operator's own network, which may have private
 * addresses, and use http if they begin with it. Throws ConfigError.
 */
export function readFederationSettings(env: Environment): FederationSettings {
  const variable = "FEDERATION_PRIVATE_ORIGINS";
  const listed = readEnvironment(env).string(variable)?.split(",") ?? [];
  const privateOrigins = listed.map((text) => {
    try {
      return parseOrigin(text.trim());
    } catch {
      throw new ConfigError(
        variable,
        `must be origins such as https://idp.corp.internal or http://10.0.0.7:8080, separated by commas, not ${JSON.stringify(text)}`,
      );
    }
  });
  return { privateOrigins };
}
