import type { Client, HandlerContext } from "@connectrpc/connect";
import { issueOf, sourceOf } from "@muster/definitions";
import type { AgentsService, Definition, GetDefinitionResponse } from "@muster/proto/agents";
import { Reason } from "@muster/proto/errors";
import { compileDefinition, type Format, type Program } from "@muster/protocol";
import { callOptions, principalHeader, requestIdOf, rpcError } from "@muster/rpc";
import { LRUCache } from "lru-cache";
import { relayed } from "./relayed.ts";

const maxPrograms = 500;
/** Characters of definitions whose programs are kept: a program holds its prompts and references. */
const defaultMaxSourceLength = 64 * 1024 * 1024;
/** Shorter than a lease: a session is locked meanwhile. */
const timeoutMs = 5_000;

export interface PinnedAgent {
  projectId: string;
  agentId: string;
  agentVersion: number;
}

/** A slug names active agents only. */
export type AgentName = { agentId: string } | { slug: string };

type ProgramOf<F extends Format> = Extract<Program, { format: F }>;

export type Programs = ReturnType<typeof createPrograms>;

/** Compiled definitions. A version never changes, so what is here stays right; concurrent misses share one call. */
export function createPrograms(
  agents: Client<typeof AgentsService>,
  { maxSourceLength: maxSize = defaultMaxSourceLength }: { maxSourceLength?: number } = {},
) {
  const cache = new LRUCache<string, Program>({ max: maxPrograms, maxSize });
  const loading = new Map<string, Promise<Program>>();

  const fetchDefinition = async (
    agent: AgentName & { version?: number },
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

  const load = async (key: string, fetch: () => Promise<GetDefinitionResponse>): Promise<Program> => {
    const definition = definitionIn(await fetch());
    const program = compile(definition);
    cache.set(key, program, { size: sourceLength(definition) });
    return program;
  };

  const find = (
    { projectId, agentId, agentVersion }: PinnedAgent,
    fetch: () => Promise<GetDefinitionResponse>,
  ): Program | Promise<Program> => {
    const key = `${projectId} ${agentId} ${agentVersion}`;
    const known = cache.get(key) ?? loading.get(key);
    if (known !== undefined) return known;
    const loaded = load(key, fetch).finally(() => loading.delete(key));
    loading.set(key, loaded);
    return loaded;
  };

  const latest = async (name: AgentName, projectId: string, call: HandlerContext) => {
    const response = await fetchDefinition(name, call);
    const { agent } = response;
    if (agent === undefined || agent.projectId !== projectId) throw noSuchAgent();
    return { response, pinned: { projectId, agentId: agent.id, agentVersion: agent.version } };
  };

  return {
    /** The latest version, for something new. Throws NOT_FOUND, and AGENT_ARCHIVED with the sentence given. */
    latest: async (name: AgentName, projectId: string, call: HandlerContext, whenArchived: string) => {
      const { response, pinned } = await latest(name, projectId, call);
      if (response.archived) throw rpcError(Reason.AGENT_ARCHIVED, whenArchived);
      const slug = response.agent?.definition?.settings?.slug ?? "";
      return { ...pinned, slug, program: await find(pinned, async () => response) };
    },

    /** The id of the agent that is meant. Throws NOT_FOUND for a slug that no active agent has. */
    idOf: async (name: AgentName, projectId: string, call: HandlerContext): Promise<string> =>
      "agentId" in name ? name.agentId : (await latest(name, projectId, call)).pinned.agentId,

    /** The version that something stored is pinned to, archived or not. */
    pinned: async <F extends Format>(
      agent: PinnedAgent,
      format: F,
      call: HandlerContext,
    ): Promise<ProgramOf<F>> => {
      const { agentId, agentVersion: version } = agent;
      const program = await find(agent, () => fetchDefinition({ agentId, version }, call));
      if (isOf(program, format)) return program;
      throw new Error(`The agent ${agentId} is not ${format} in version ${version}`);
    },
  };
}

export function isOf<F extends Format>(program: Program, format: F): program is ProgramOf<F> {
  return program.format === format;
}

export function noSuchAgent() {
  return rpcError(Reason.NOT_FOUND, "There is no such agent in this project.");
}

function definitionIn({ agent }: GetDefinitionResponse): Definition {
  if (agent?.definition === undefined) throw new Error("The agents service sent no definition");
  return agent.definition;
}

function compile(definition: Definition): Program {
  const compiled = compileDefinition(sourceOf(definition));
  if (compiled.ok) return compiled.program;
  throw rpcError(Reason.INVALID_DEFINITION, "The definition of this agent cannot be run any more.", {
    issues: compiled.issues.map(issueOf),
  });
}

/** At least 1. */
function sourceLength({ protocol, prompts, references }: Definition): number {
  const texts = [...prompts, ...references];
  return texts.reduce((sum, { content }) => sum + content.length, protocol.length + 1);
}
