import { type MetricsSettings, readMetricsSettings } from "@muster/metrics";
import {
  type Environment,
  readServiceSettings,
  readStoreSettings,
  type ServiceSettings,
  type StoreSettings,
} from "@muster/service";

export interface AgentsConfig extends ServiceSettings {
  store: StoreSettings;
  /** Processor time for checking a definition. Defaults to 2 s; the slowest within the limits needs about 0.3 s. */
  compileCpuMs?: number;
  /** Starts the compiler with the first definition, which waits for it. Default false: before the service gets calls. */
  readyWithoutCompiler?: boolean;
}

/** Settings of the standalone process. */
export interface AgentsProcessConfig extends AgentsConfig {
  /** Undefined: nothing is measured. */
  metrics: MetricsSettings | undefined;
}

/** Throws ConfigError with the name of a missing or invalid variable. */
export function readAgentsConfig(env: Environment): AgentsProcessConfig {
  const service = readServiceSettings(env, "AGENTS", 7002);
  const metrics = readMetricsSettings(env, { ...service.listen, setting: "AGENTS_PORT" });
  return { store: readStoreSettings(env), ...service, metrics };
}
