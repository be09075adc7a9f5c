import { readAgentsConfig } from "@muster/agents";
import { readAuthConfig } from "@muster/auth";
import { readGatewayConfig } from "@muster/gateway";
import { readModelsConfig } from "@muster/models";
import { readRecorderConfig } from "@muster/recorder/config";
import type { Environment } from "@muster/service";
import { readSessionsConfig } from "@muster/sessions";
import { readWorkforceConfig } from "@muster/workforce/config";
import type { ComponentName } from "./rendered.ts";

/** Reads the settings of a component as its process does. Throws ConfigError. */
export const readConfig: Readonly<Record<ComponentName, (env: Environment) => unknown>> = {
  gateway: readGatewayConfig,
  auth: readAuthConfig,
  agents: readAgentsConfig,
  sessions: (env) => [readSessionsConfig(env), readModelsConfig(env)],
  workforce: readWorkforceConfig,
  recorder: readRecorderConfig,
};

/** The names of the variables that a component reads while it starts with this environment. */
export function namesRead(component: ComponentName, env: Environment): string[] {
  const names = new Set<string>();
  readConfig[component](
    new Proxy(env, {
      get: (target, name) => {
        if (typeof name === "string") names.add(name);
        return Reflect.get(target, name);
      },
    }),
  );
  return [...names].sort();
}
