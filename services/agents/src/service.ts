import { AgentsService as AgentsServiceDescriptor } from "@muster/proto/agents";
import {
  bindTo,
  createServiceHost,
  listenIfAsked,
  type Mounted,
  mountService,
  type Running,
  type ServiceHost,
} from "@muster/rpc";
import { type Clock, createIds, type Logger, type NewId, stopAll, systemClock } from "@muster/service";
import { ensureIndexes, isStoreUnavailable, openStore } from "@muster/store";
import type { AgentsConfig } from "./config.ts";
import type { AgentsContext } from "./context.ts";
import { createDefinitionChecker } from "./definition/checker.ts";
import { archiveAgent } from "./rpc/archive-agent.ts";
import { createAgent } from "./rpc/create-agent.ts";
import { getAgent } from "./rpc/get-agent.ts";
import { getDefinition } from "./rpc/get-definition.ts";
import { listAgentVersions } from "./rpc/list-agent-versions.ts";
import { listAgents } from "./rpc/list-agents.ts";
import { updateAgent } from "./rpc/update-agent.ts";
import { validateAgent } from "./rpc/validate-agent.ts";
import { agentIndexes, createAgentStore } from "./store/agents.ts";

/** What the service is given by its process or test. */
export interface AgentsOverrides {
  log: Logger;
  clock?: Clock;
  newId?: NewId;
}

export type AgentsService = ServiceHost;

/** Owns agents and their versions. Nothing is opened before `start`. */
export function createAgentsService(config: AgentsConfig, overrides: AgentsOverrides): AgentsService {
  return createServiceHost<AgentsContext>({
    name: "agents",
    log: overrides.log,
    mount: (context) => mountService(AgentsServiceDescriptor, implementation(context)),
    open: (mounted) => open(config, overrides, mounted),
  });
}

async function open(
  config: AgentsConfig,
  overrides: AgentsOverrides,
  mounted: Mounted[],
): Promise<Running<AgentsContext>> {
  const { log, clock = systemClock, newId = createIds() } = overrides;
  const database = `${config.store.databasePrefix}_agents`;
  const store = await openStore({ uri: config.store.uri, database, log });
  const closers: Array<() => Promise<unknown>> = [() => store.close()];
  try {
    await ensureIndexes(store.db, agentIndexes);
    const checker = createDefinitionChecker({ log, timeoutMs: config.compileTimeoutMs ?? 2_000 });
    closers.unshift(() => checker.close());
    const context: AgentsContext = { agents: createAgentStore(store.db), checker, clock, newId, log };
    const server = await listenIfAsked(config, mounted, overrides);
    // First of all: calls that still run need the checker and the store.
    if (server) closers.unshift(() => server.stop());
    return { context, address: server?.address, close: () => stopAll(closers) };
  } catch (error) {
    await stopAll(closers);
    throw error;
  }
}

function implementation(context: () => AgentsContext) {
  const bind = bindTo(context, isStoreUnavailable);
  return {
    createAgent: bind(createAgent),
    validateAgent: bind(validateAgent),
    getAgent: bind(getAgent),
    listAgents: bind(listAgents),
    updateAgent: bind(updateAgent),
    archiveAgent: bind(archiveAgent),
    listAgentVersions: bind(listAgentVersions),
    getDefinition: bind(getDefinition),
  };
}
