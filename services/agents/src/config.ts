import {
  type Environment,
  readServiceSettings,
  readStoreSettings,
  type ServiceSettings,
  type StoreSettings,
} from "@muster/service";

export interface AgentsConfig extends ServiceSettings {
  store: StoreSettings;
  /** How long checking a definition may take. Defaults to 2 s; the slowest within the limits needs about 0.3 s. */
  compileTimeoutMs?: number;
}

/** Settings of the standalone process. Throws ConfigError with the name of a missing or invalid variable. */
export function readAgentsConfig(env: Environment): AgentsConfig {
  return { store: readStoreSettings(env), ...readServiceSettings(env, "AGENTS", 7002) };
}
