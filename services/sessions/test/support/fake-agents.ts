import type { HandlerContext } from "@connectrpc/connect";
import { AgentsService, Format } from "@muster/proto/agents";
import {
  callerOf,
  createPrincipalVerifier,
  type Mounted,
  mountPartial,
  Reason,
  rpcError,
  type Transport,
} from "@muster/rpc";
import { createRpcServer, createRpcTransport } from "@muster/rpc/grpc";
import { type Clock, type Secret, silentLogger } from "@muster/service";

export interface AgentSpec {
  protocol: string;
  prompts?: Record<string, string>;
  format?: "interactive" | "worker";
  archived?: boolean;
}

export interface FakeAgents {
  /** Over real gRPC. */
  transport: Transport;
  /** For a transport without a network. */
  mounted: Mounted;
  address: string;
  /** The last item of a list is the latest version. */
  set(agentId: string, versions: AgentSpec[], projectId?: string): void;
  /** How often a definition was fetched. */
  reads(): number;
  stop(): Promise<void>;
}

/** An agents service with the definitions that a test sets, served by the real RPC layer. */
export async function startFakeAgents(
  t: { onTestFinished(fn: () => Promise<void>): void },
  principalSecrets: readonly Secret[],
  clock: Clock,
): Promise<FakeAgents> {
  const agents = new Map<string, { versions: AgentSpec[]; projectId: string }>();
  let reads = 0;
  /** The asked version, or the latest one. */
  const find = (agentId: string, call: HandlerContext, version?: number) => {
    const { projectId } = callerOf(call);
    const agent = agents.get(agentId);
    const number = version ?? agent?.versions.length ?? 0;
    const spec = agent?.projectId === projectId ? agent.versions[number - 1] : undefined;
    if (spec === undefined) throw noSuchAgent();
    return { agentId, projectId, version: number, spec, archived: spec.archived ?? false };
  };
  const mounted = mountPartial(AgentsService, {
    getAgentHead: ({ by }, call) => {
      const agentId = by.case === "slug" ? idOfSlug(by.value) : (by.value ?? "");
      const { spec: _, ...head } = find(agentId, call);
      if (by.case === "slug" && head.archived) throw noSuchAgent();
      return { ...head, slug: slugOf(agentId) };
    },
    getDefinition: ({ agentId, version }, call) => {
      reads += 1;
      const { spec, archived, ...agent } = find(agentId, call, version);
      return { agent: { ...agent, id: agentId, definition: definitionOf(agentId, spec) }, archived };
    },
  });
  const verifier = createPrincipalVerifier(principalSecrets, clock);
  const server = createRpcServer({
    services: [mounted],
    verifier,
    log: silentLogger,
    host: "127.0.0.1",
    port: 0,
  });
  const { address } = await server.start();
  const transport = createRpcTransport({ addresses: [address], services: [AgentsService] });
  t.onTestFinished(async () => {
    transport.close();
    await server.stop();
  });
  return {
    transport,
    mounted,
    address,
    set: (agentId, versions, projectId = "prj_test") => void agents.set(agentId, { versions, projectId }),
    reads: () => reads,
    stop: () => server.stop(),
  };
}

function noSuchAgent() {
  return rpcError(Reason.NOT_FOUND, "The agent does not exist in this project.");
}

/** `agt_x` has the slug `agt-x`. */
function idOfSlug(slug: string): string {
  return slug.replaceAll("-", "_");
}

function slugOf(agentId: string): string {
  return agentId.replaceAll("_", "-");
}

function definitionOf(agentId: string, { protocol, prompts = {}, format = "interactive" }: AgentSpec) {
  return {
    settings: {
      slug: slugOf(agentId),
      name: agentId,
      format: format === "worker" ? Format.WORKER : Format.INTERACTIVE,
    },
    protocol,
    prompts: Object.entries(prompts).map(([name, content]) => ({ name, content })),
    references: [],
  };
}
