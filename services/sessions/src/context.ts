import type { Transport } from "@connectrpc/connect";
import type { Bus } from "@muster/events";
import type { Models } from "@muster/models";
import { AgentsService } from "@muster/proto/agents";
import { createRpcClient } from "@muster/rpc";
import { type Clock, createIds, type Logger, type NewId, systemClock } from "@muster/service";
import {
  defaultMaxStateBytes,
  defaultSessionTtlMs,
  defaultTimings,
  type SessionsConfig,
  type Timings,
} from "./config.ts";
import type { ExecutionDependencies } from "./driver/execution.ts";
import { createExecutions, type Executions } from "./driver/executions.ts";
import { createLeaseKeeper, type LeaseKeeper } from "./driver/lease-keeper.ts";
import { createPrograms, type Programs } from "./programs.ts";
import { createRandomPool } from "./random-pool.ts";
import type { SessionStore } from "./store/session-store.ts";

/** What the service is given by its process or test. */
export interface SessionsOverrides {
  bus: Bus;
  log: Logger;
  models: Models;
  /** Reaches the agents service. */
  agents: Transport;
  clock?: Clock;
  newId?: NewId;
}

/** Everything that the RPCs need. */
export interface SessionsContext extends ExecutionDependencies {
  programs: Programs;
  bus: Bus;
  executions: Executions;
  leases: LeaseKeeper;
  /** Names this process in leases. */
  instance: string;
  timings: Timings;
  /** Input, conversation and pause of one session. */
  maxStateBytes: number;
  /** Takes no new triggers. */
  isDraining(): boolean;
  newId: NewId;
}

export function createContext(
  config: SessionsConfig,
  overrides: SessionsOverrides,
  store: SessionStore,
  draining: AbortSignal,
): SessionsContext {
  const { bus, log, models, agents, clock = systemClock } = overrides;
  const newId = overrides.newId ?? createIds(Date.now, createRandomPool());
  const timings = { ...defaultTimings, ...config.timings };
  const ttlMs = config.sessionTtlMs ?? defaultSessionTtlMs;
  const expiryFrom = (nowMs: number) => (ttlMs === 0 ? null : new Date(nowMs + ttlMs));
  const executions = createExecutions();
  return {
    store,
    models,
    clock,
    log,
    expiryFrom,
    programs: createPrograms(createRpcClient(AgentsService, agents)),
    bus,
    executions,
    leases: createLeaseKeeper({ executions, store, clock, log, timings, expiryFrom }),
    instance: newId("run"),
    timings,
    maxStateBytes: config.maxStateBytes ?? defaultMaxStateBytes,
    isDraining: () => draining.aborted,
    newId,
  };
}
