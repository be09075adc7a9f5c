import type { HandlerContext } from "@connectrpc/connect";
import { AgentsService as AgentsServiceDescriptor } from "@muster/proto/agents";
import { Reason } from "@muster/proto/errors";
import { createPrincipalVerifier, createRpcServer, type Mounted, mountService, rpcError } from "@muster/rpc";
import {
  type Clock,
  createIds,
  type Logger,
  type NewId,
  type Service,
  stopAll,
  systemClock,
} from "@muster/service";
import { ensureIndexes, isStoreUnavailable, openStore } from "@muster/store";
import type { AgentsConfig } from "./config.ts";
import type { AgentsContext } from "./context.ts";
import { createDefinitionChecker } from "./definition/checker.ts";
import { archiveAgent } from "./rpc/archive-agent.ts";
import { createAgent } from "./rpc/create-agent.ts";
import { getAgent } from "./rpc/get-agent.ts";
import { getDefinition } from "./rpc/get-definition.ts";
import type { Handler } from "./rpc/handler.ts";
import { listAgentVersions } from "./rpc/list-agent-versions.ts";
import { listAgents } from "./rpc/list-agents.ts";
import { updateAgent } from "./rpc/update-agent.ts";
import { agentIndexes, createAgentStore } from "./store/agents.ts";

/** What the service is given by its process or test. */
export interface AgentsOverrides {
  log: Logger;
  clock?: Clock;
  newId?: NewId;
}

export interface AgentsService extends Service {
  /** For in-process transports. Calls before `start` fail with UNAVAILABLE. */
  readonly mounted: Mounted[];
  /** `host:port` of the gRPC server, once started and when the configuration asks for one. */
  readonly address: string | undefined;
}

/** Owns agents and their versions. Nothing is opened before `start`. */
export function createAgentsService(config: AgentsConfig, overrides: AgentsOverrides): AgentsService {
  let running: Running | undefined;
  const mounted = [
    mountService(
      AgentsServiceDescriptor,
      implementation(() => running?.context),
    ),
  ];
  return {
    mounted,
    get address() {
      return running?.address;
    },
    start: async () => {
      running ??= await open(config, overrides, mounted);
      overrides.log.info({ address: running.address }, "agents is ready");
    },
    stop: async () => {
      const ending = running;
      await ending?.close();
      running = undefined;
    },
  };
}

interface Running {
  context: AgentsContext;
  address: string | undefined;
  close(): Promise<void>;
}

async function open(config: AgentsConfig, overrides: AgentsOverrides, mounted: Mounted[]): Promise<Running> {
  const { log, clock = systemClock, newId = createIds() } = overrides;
  const database = `${config.store.databasePrefix}_agents`;
  const store = await openStore({ uri: config.store.uri, database, log });
  const closers: Array<() => Promise<unknown>> = [() => store.close()];
  try {
    await ensureIndexes(store.db, agentIndexes);
    const checker = createDefinitionChecker({ log, timeoutMs: config.compileTimeoutMs ?? 3_000 });
    closers.unshift(() => checker.close());
    const context: AgentsContext = { agents: createAgentStore(store.db), checker, clock, newId, log };
    const server = await listen(config, overrides, mounted);
    // First of all: calls that still run need the checker and the store.
    if (server) closers.unshift(() => server.stop());
    return { context, address: server?.address, close: () => stopAll(closers) };
  } catch (error) {
    await stopAll(closers);
    throw error;
  }
}

async function listen(config: AgentsConfig, overrides: AgentsOverrides, mounted: Mounted[]) {
  if (!config.listen) return undefined;
  const { log, clock = systemClock } = overrides;
  const verifier = createPrincipalVerifier(config.principalSecret, clock);
  const server = createRpcServer({ services: mounted, verifier, log, ...config.listen });
  const { address } = await server.start();
  return { address, stop: () => server.stop() };
}

function implementation(context: () => AgentsContext | undefined) {
  const bind =
    <Request, Response>(handler: Handler<Request, Response>) =>
    async (request: Request, call: HandlerContext): Promise<Response> => {
      const ready = context();
      if (!ready) throw unavailable("The agents service is not running.");
      try {
        return await handler(ready, request, call);
      } catch (error) {
        throw isStoreUnavailable(error) ? unavailable("The document store does not answer.", error) : error;
      }
    };
  return {
    createAgent: bind(createAgent),
    getAgent: bind(getAgent),
    listAgents: bind(listAgents),
    updateAgent: bind(updateAgent),
    archiveAgent: bind(archiveAgent),
    listAgentVersions: bind(listAgentVersions),
    getDefinition: bind(getDefinition),
  };
}

function unavailable(message: string, cause?: unknown) {
  return rpcError(Reason.UNAVAILABLE, message, { retryAfterMs: 1_000, cause });
}
