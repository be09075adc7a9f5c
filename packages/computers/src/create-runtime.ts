import {
  createGuardedConnect,
  createGuardedFetch,
  type GuardedConnect,
  type GuardedFetch,
} from "@muster/guarded-fetch";
import { createBubblewrapRuntime } from "./bubblewrap/create-bubblewrap-runtime.ts";
import type { ComputersConfig } from "./config.ts";
import { createSandboxFetch } from "./network/sandbox-fetch.ts";
import { createSimulatedRuntime } from "./sandbox/create-simulated-runtime.ts";
import { defaultSandboxLimits, type SandboxLimits } from "./sandbox/default-sandbox-limits.ts";
import type { SandboxRuntime } from "./sandbox/runtime.ts";

export interface RuntimeOptions {
  config: ComputersConfig;
  limits?: SandboxLimits;
  now(): number;
  /** For tests. */
  fetchGuarded?: GuardedFetch | undefined;
  connectGuarded?: GuardedConnect | undefined;
  spareProcess?: boolean | undefined;
}

/** The runtime that the settings choose. */
export function createRuntime(options: RuntimeOptions): SandboxRuntime {
  const { config, limits = defaultSandboxLimits, now } = options;
  const { allowedHosts, bubblewrap } = config;
  const hasNetwork = allowedHosts.length > 0;
  if (bubblewrap !== undefined) {
    const connect = options.connectGuarded ?? createGuardedConnect({ isPortAllowed: (port) => port === 443 });
    const network = hasNetwork ? { connect, allowedHosts } : undefined;
    return createBubblewrapRuntime({ config: bubblewrap, limits, network, now });
  }
  const { fetchGuarded = createGuardedFetch(), spareProcess: keepsSpare = true } = options;
  const fetch = hasNetwork ? createSandboxFetch(fetchGuarded, allowedHosts) : undefined;
  return createSimulatedRuntime({ limits, fetch, keepsSpare });
}
