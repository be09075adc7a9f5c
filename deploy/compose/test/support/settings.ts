import { readAgentsConfig } from "@muster/agents";
import { readAuthConfig } from "@muster/auth";
import { readGatewayConfig } from "@muster/gateway";
import { readModelsConfig } from "@muster/models";
import { readRecorderConfig } from "@muster/recorder/config";
import { type Environment, readLogLevel } from "@muster/service";
import { readSessionsConfig } from "@muster/sessions";
import { readWorkforceConfig } from "@muster/workforce/config";

/** The parts of every process's settings that are compared. */
interface Config {
  listen?: { host: string; port: number };
  metrics?: { port: number } | undefined;
}

/** The configuration that each process reads when it starts. */
const readers: Readonly<Record<string, (env: Environment) => Config>> = {
  gateway: (env) => {
    const { host, port, metrics } = readGatewayConfig(env);
    return { listen: { host, port }, metrics };
  },
  auth: readAuthConfig,
  agents: readAgentsConfig,
  sessions: (env) => {
    readModelsConfig(env);
    return readSessionsConfig(env);
  },
  workforce: readWorkforceConfig,
  recorder: readRecorderConfig,
};

export const processNames = Object.keys(readers);

export interface ReadSettings {
  /** Where the process listens. */
  listen: { host: string; port: number };
  /** Where it serves metrics, if it does. */
  metricsPort: number | undefined;
  /** The variables that it read. */
  names: ReadonlySet<string>;
}

/** Reads the settings of a process as its `main.ts` does. Throws ConfigError if it could not start with them. */
export function readSettings(process: string, env: Environment): ReadSettings {
  const names = new Set<string>();
  const watched = new Proxy(env, {
    get: (target, name) => {
      if (typeof name === "string") names.add(name);
      return Reflect.get(target, name);
    },
  });
  const { listen, metrics } = readers[process]?.(watched) ?? {};
  if (listen === undefined) throw new Error(`${process} is not a process of the product`);
  readLogLevel(watched, "info");
  return { listen, metricsPort: metrics?.port, names };
}
