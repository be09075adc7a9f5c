import type { Client, HandlerContext } from "@connectrpc/connect";
import {
  type AgentsService,
  type Definition,
  Format,
  type GetDefinitionResponse,
} from "@muster/proto/agents";
import { Reason } from "@muster/proto/errors";
import { compileDefinition, type InteractiveProgram, type Program } from "@muster/protocol";
import { callOptions, principalHeader, requestIdOf, rpcError } from "@muster/rpc";
import { LRUCache } from "lru-cache";
import { relayed } from "./rpc/relayed.ts";

const maxPrograms = 500;
/** Shorter than a lease: a session is locked meanwhile. */
const timeoutMs = 5_000;

export interface PinnedAgent {
  projectId: string;
  agentId: string;
  agentVersion: number;
}

export type Programs = ReturnType<typeof createPrograms>;

/** Compiled definitions. A version never changes, so what is here stays right; concurrent misses share one call. */
export function createPrograms(agents: Client<typeof AgentsService>) {
  const cache = new LRUCache<string, Promise<Program>>({ max: maxPrograms });

  const fetchDefinition = async (
    agent: { agentId: string; version?: number },
    call: HandlerContext,
  ): Promise<GetDefinitionResponse> => {
    try {
      const principal = call.requestHeader.get(principalHeader) ?? "";
      return await agents.getDefinition(
        agent,
        callOptions({ principal, requestId: requestIdOf(call), timeoutMs }),
      );
    } catch (error) {
      throw relayed(error);
    }
  };

  const remember = (agent: PinnedAgent, load: () => Promise<Program>): Promise<Program> => {
    const key = `${agent.projectId} ${agent.agentId} ${agent.agentVersion}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const loading = load();
    cache.set(key, loading);
    loading.catch(() => cache.delete(key));
    return loading;
  };

  return {
    /** The latest version, for a new session. */
    latest: async (agentId: string, projectId: string, call: HandlerContext) => {
      const response = await fetchDefinition({ agentId }, call);
      const { agent, archived } = response;
      if (agent === undefined || agent.projectId !== projectId) throw noSuchAgent();
      const pinned = { projectId, agentId: agent.id, agentVersion: agent.version };
      const program = await remember(pinned, async () => compile(response));
      return { agentVersion: agent.version, program, archived };
    },

    /** The version that a session is pinned to, archived or not. */
    pinned: async (agent: PinnedAgent, call: HandlerContext): Promise<InteractiveProgram> => {
      const { agentId, agentVersion: version } = agent;
      const program = await remember(agent, async () =>
        compile(await fetchDefinition({ agentId, version }, call)),
      );
      if (isInteractive(program)) return program;
      throw new Error(`The session's agent ${agentId} is a worker in version ${version}`);
    },
  };
}

/** Sessions exist for interactive agents only. */
export function isInteractive(program: Program): program is InteractiveProgram {
  return program.format === "interactive";
}

export function noSuchAgent() {
  return rpcError(Reason.NOT_FOUND, "There is no such agent in this project.");
}

function compile(response: GetDefinitionResponse): Program {
  const definition = response.agent?.definition;
  if (definition === undefined) throw new Error("The agents service sent no definition");
  const compiled = compileDefinition(sourceOf(definition));
  if (compiled.ok) return compiled.program;
  throw rpcError(Reason.INVALID_DEFINITION, "The definition of this agent cannot be run any more.", {
    issues: compiled.issues.map(({ suggestions, ...issue }) => ({
      ...issue,
      ...(suggestions === undefined ? {} : { suggestions: [...suggestions] }),
    })),
  });
}

function sourceOf({ settings, protocol, prompts, references }: Definition) {
  return {
    settings: {
      slug: settings?.slug ?? "",
      name: settings?.name ?? "",
      ...(settings?.description === undefined ? {} : { description: settings.description }),
      format: settings?.format === Format.WORKER ? ("worker" as const) : ("interactive" as const),
    },
    protocol,
    prompts,
    references,
  };
}
