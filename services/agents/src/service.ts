import { mountAuditOutbox } from "@muster/events/audit";
import { measureQueue } from "@muster/metrics";
import { AgentsService as AgentsServiceDescriptor } from "@muster/proto/agents";
import {
  bindTo,
  createServiceHost,
  type Defer,
  mountService,
  type Opened,
  type ServiceHost,
} from "@muster/rpc";
import { openDatabase, storeOutageOf } from "@muster/store";
import type { AgentsConfig } from "./config.ts";
import { type AgentsContext, type AgentsOverrides, createContext } from "./context.ts";
import { createDefinitionChecker } from "./definition/definition-checker.ts";
import { archiveAgent } from "./rpc/archive-agent.ts";
import { createAgent } from "./rpc/create-agent.ts";
import { getAgent } from "./rpc/get-agent.ts";
import { getAgentHead } from "./rpc/get-agent-head.ts";
import { getDefinition } from "./rpc/get-definition.ts";
import { listAgentVersions } from "./rpc/list-agent-versions.ts";
import { listAgents } from "./rpc/list-agents.ts";
import { listPrebuiltAgents } from "./rpc/list-prebuilt-agents.ts";
import { resolveAgent } from "./rpc/resolve-agent.ts";
import { updateAgent } from "./rpc/update-agent.ts";
import { validateAgent } from "./rpc/validate-agent.ts";
import { agentIndexes } from "./store/agents.ts";

export type AgentsService = ServiceHost;

/** Owns agents and their versions. Nothing is opened before `start`. */
export function createAgentsService(config: AgentsConfig, overrides: AgentsOverrides): AgentsService {
  return createServiceHost<AgentsContext>({
    name: "agents",
    config,
    overrides,
    mount: (context) => [
      mountService(AgentsServiceDescriptor, implementation(context)),
      mountAuditOutbox(() => context().auditOutbox, storeOutageOf),
    ],
    open: (defer) => open(config, overrides, defer),
  });
}

async function open(
  { store, compileCpuMs = 2_000, readyWithoutCompiler = false }: AgentsConfig,
  overrides: AgentsOverrides,
  defer: Defer,
): Promise<Opened<AgentsContext>> {
  const { log, metrics } = overrides;
  const database = { store, service: "agents", indexes: agentIndexes, log, metrics };
  const { db, dependency } = await openDatabase(database, defer);
  const checker = overrides.checker ?? createDefinitionChecker({ log, cpuMs: compileCpuMs });
  defer(async () => (checker === overrides.checker ? undefined : checker.close()));
  const unmeasure = measureQueue(metrics, { queue: "definitions" }, checker.queue);
  defer(async () => unmeasure());
  const context = createContext(overrides, db, checker);
  const checkCompiler = async () => {
    if (checker.isBroken || !readyWithoutCompiler) await checker.warmUp();
  };
  return {
    context,
    dependencies: [dependency, { name: "compiler", check: checkCompiler }],
    warmUp: async () => void (await context.prebuilt.prepare()),
  };
}

function implementation(context: () => AgentsContext) {
  const bind = bindTo(context, storeOutageOf);
  return {
    createAgent: bind(createAgent),
    validateAgent: bind(validateAgent),
    getAgent: bind(getAgent),
    listAgents: bind(listAgents),
    updateAgent: bind(updateAgent),
    archiveAgent: bind(archiveAgent),
    listAgentVersions: bind(listAgentVersions),
    resolveAgent: bind(resolveAgent),
    getAgentHead: bind(getAgentHead),
    listPrebuiltAgents: bind(listPrebuiltAgents),
    getDefinition: bind(getDefinition),
  };
}
