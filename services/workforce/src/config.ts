import { type Environment, readServiceSettings, type ServiceSettings } from "@muster/service";

export type WorkforceConfig = ServiceSettings;

/** Settings of the standalone process. Throws ConfigError with the name of a missing or invalid variable. */
export function readWorkforceConfig(env: Environment): WorkforceConfig {
  return readServiceSettings(env, "WORKFORCE", 7004);
}
