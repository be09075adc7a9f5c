import type { CallOptions, Client, Transport } from "@connectrpc/connect";
import type { Bus } from "@muster/events";
import { AgentsService } from "@muster/proto/agents";
import { AuthService } from "@muster/proto/auth";
import { SessionsService } from "@muster/proto/sessions";
import {
  callOptions,
  createPrincipalSigner,
  createRpcClient,
  type ServiceContext,
  type ServiceOverrides,
  workforcePrincipal,
} from "@muster/rpc";
import { createIds, systemClock } from "@muster/service";
import type { Db } from "mongodb";
import { defaultTimings, type Timings, type WorkforceConfig } from "./config.ts";
import { type AgentStore, createAgentStore } from "./store/agent-store.ts";
import { createRunStore, type RunStore } from "./store/run-store.ts";
import { createThreadStore, type ThreadStore } from "./store/thread-store.ts";
import { createWakeUps, type WakeUps } from "./wake/wake-ups.ts";

/** Dependencies supplied by the process or test. */
export interface WorkforceOverrides extends ServiceOverrides {
  bus: Bus;
  /** Reaches the agents service. */
  agents: Transport;
  /** Reaches the auth service, which has the keys of agents and the limits of projects. */
  auth: Transport;
  /** Reaches the sessions service, which has the conversations and runs them. */
  sessions: Transport;
}

/** All dependencies of the RPCs and of the runs. */
export interface WorkforceContext extends ServiceContext {
  /** Workforce agents and their queues. */
  agents: AgentStore;
  threads: ThreadStore;
  runs: RunStore;
  wakeUps: WakeUps;
  services: Services;
  /** Options for a call in the name of the workforce service, which acts for a project. Make them anew for each call. */
  callFor(
    projectId: string,
    options?: { signal?: AbortSignal; timeoutMs?: number; requestId?: string },
  ): CallOptions;
  /** Identifies this process in leases. */
  instance: string;
  /** Set to `instance` if no other instance can exist. */
  onlyHolder: string | undefined;
  timings: Timings;
  /** Absolute path of the folder for the files of sandboxes. */
  dataDirectory: string;
}

export interface Services {
  agents: Client<typeof AgentsService>;
  auth: Client<typeof AuthService>;
  sessions: Client<typeof SessionsService>;
}

export function createContext(
  config: WorkforceConfig,
  overrides: WorkforceOverrides,
  db: Db,
): WorkforceContext {
  const { bus, log, agents, auth, sessions, clock = systemClock, newId = createIds() } = overrides;
  const instance = newId("run");
  const signer = createPrincipalSigner(config.principalSecret, clock);
  return {
    agents: createAgentStore(db),
    threads: createThreadStore(db),
    runs: createRunStore(db),
    wakeUps: createWakeUps({ bus, log, newId }),
    services: {
      agents: createRpcClient(AgentsService, agents),
      auth: createRpcClient(AuthService, auth),
      sessions: createRpcClient(SessionsService, sessions),
    },
    callFor: (projectId, { requestId = newId("req"), ...options } = {}) =>
      callOptions({ principal: signer.sign(workforcePrincipal(projectId)), requestId, ...options }),
    instance,
    onlyHolder: config.onlyInstance ? instance : undefined,
    timings: { ...defaultTimings, ...config.timings },
    dataDirectory: config.dataDirectory,
    clock,
    newId,
    log,
  };
}
