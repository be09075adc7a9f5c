import type { CallOptions, Client, HandlerContext } from "@connectrpc/connect";
import type { Format, Program } from "@muster/language";
import { issueOf, sourceOf } from "@muster/language/messages";
import type {
  AgentsService,
  Definition,
  GetAgentHeadRequest,
  GetAgentHeadResponse,
  GetDefinitionResponse,
} from "@muster/proto/agents";
import { Reason } from "@muster/proto/errors";
import {
  callOptions,
  noSuchAgent,
  principalHeader,
  relayedFailure,
  requestIdOf,
  rpcError,
} from "@muster/rpc";
import { shareCommands } from "@muster/store";
import { LRUCache } from "lru-cache";

/** Loads the compiler, which nothing needs before the first program. */
export const loadCompiler = () => import("@muster/language/compile");

const maxPrograms = 500;
/** Total characters of the cached definitions: a program contains its prompts and references. */
const defaultMaxSourceLength = 64 * 1024 * 1024;
/** Shorter than a lease, because a session is locked meanwhile. */
const maxTimeoutMs = 5_000;

export interface PinnedAgent {
  projectId: string;
  agentId: string;
  agentVersion: number;
}

/** A slug names only active agents. */
export type AgentName = { agentId: string } | { slug: string };

/** Who asks the agents service. */
export interface Asker {
  /** Signed. */
  principal: string;
  requestId: string;
  timeoutMs: number;
}

/** The caller of an RPC asks for itself. */
export function askerOf(call: HandlerContext | Asker): Asker {
  if ("principal" in call) return call;
  const principal = call.requestHeader.get(principalHeader) ?? "";
  return { principal, requestId: requestIdOf(call), timeoutMs: call.timeoutMs() ?? maxTimeoutMs };
}

type HeadAsker = (call: HandlerContext | Asker) => Promise<GetAgentHeadResponse>;

type ProgramOf<F extends Format> = Extract<Program, { format: F }>;

export type Programs = ReturnType<typeof createPrograms>;

/** Compiled definitions. A version never changes, so entries stay valid; concurrent misses share one call. */
export function createPrograms(
  agents: Client<typeof AgentsService>,
  { maxSourceLength: maxSize = defaultMaxSourceLength }: { maxSourceLength?: number } = {},
) {
  const cache = new LRUCache<string, Program>({ max: maxPrograms, maxSize });
  const loading = new Map<string, Promise<Program>>();
  const heads = new LRUCache<string, HeadAsker>({ max: maxPrograms });

  const ask = async <T>(
    call: HandlerContext | Asker,
    request: (options: CallOptions) => Promise<T>,
  ): Promise<T> => {
    try {
      const asker = askerOf(call);
      const timeoutMs = Math.min(maxTimeoutMs, asker.timeoutMs);
      return await request(callOptions({ ...asker, timeoutMs }));
    } catch (error) {
      throw relayedFailure(error, "The agents service does not respond.");
    }
  };

  const load = async (key: string, fetched: Promise<GetDefinitionResponse>): Promise<Program> => {
    const definition = definitionIn(await fetched);
    const program = await compile(definition);
    cache.set(key, program, { size: sourceLength(definition) });
    return program;
  };

  const find = (
    { projectId, agentId, agentVersion }: PinnedAgent,
    call: HandlerContext | Asker,
  ): Program | Promise<Program> => {
    const key = `${projectId} ${agentId} ${agentVersion}`;
    const known = cache.get(key) ?? loading.get(key);
    if (known !== undefined) return known;
    const request = { agentId, version: agentVersion };
    const fetched = ask(call, (options) => agents.getDefinition(request, options));
    const loaded = load(key, fetched).finally(() => loading.delete(key));
    loading.set(key, loaded);
    return loaded;
  };

  const headAsker = (by: GetAgentHeadRequest["by"]): HeadAsker => {
    const one: HeadAsker = (call) => ask(call, (options) => agents.getAgentHead({ by }, options));
    return shareCommands({
      one,
      many: async ([call, ...others]) => {
        const head = call && (await one(call));
        return [head, ...others.map(() => head)];
      },
    });
  };

  /**
   * Asks each time, because another version may have been published. Calls of one caller that arrive while a question is under
   * way share the next one, so the answer is outdated for none.
   */
  const headOf = async (name: AgentName, projectId: string, call: HandlerContext | Asker) => {
    const by = "slug" in name ? namedBy("slug", name.slug) : namedBy("agentId", name.agentId);
    const key = `${askerOf(call).principal} ${by.case} ${by.value}`;
    const asker = heads.get(key) ?? headAsker(by);
    heads.set(key, asker);
    const head = await asker(call);
    if (head.projectId !== projectId) throw noSuchAgent();
    return head;
  };

  return {
    /** The latest version, for a new session or execution. Throws NOT_FOUND, or AGENT_ARCHIVED with `whenArchived`. */
    latest: async (
      name: AgentName,
      projectId: string,
      call: HandlerContext | Asker,
      whenArchived: string,
    ) => {
      const { agentId, version: agentVersion, slug, archived } = await headOf(name, projectId, call);
      if (archived) throw rpcError(Reason.AGENT_ARCHIVED, whenArchived);
      const pinned = { projectId, agentId, agentVersion };
      return { ...pinned, slug, program: await find(pinned, call) };
    },

    /** A version, archived or not. Throws NOT_FOUND. */
    version: async (pinned: PinnedAgent, call: HandlerContext | Asker) => ({
      ...pinned,
      program: await find(pinned, call),
    }),

    /** The agent's id. Throws NOT_FOUND for a slug that no active agent has. */
    idOf: async (name: AgentName, projectId: string, call: HandlerContext): Promise<string> =>
      "agentId" in name ? name.agentId : (await headOf(name, projectId, call)).agentId,

    /** The version that a stored session or execution is pinned to, archived or not. */
    pinned: async <F extends Format>(
      agent: PinnedAgent,
      format: F,
      call: HandlerContext | Asker,
    ): Promise<ProgramOf<F>> => {
      const { agentId, agentVersion: version } = agent;
      const program = await find(agent, call);
      if (isOf(program, format)) return program;
      throw new Error(`Version ${version} of the agent ${agentId} is not ${format}`);
    },
  };
}

export function isOf<F extends Format>(program: Program, format: F): program is ProgramOf<F> {
  return program.format === format;
}

function namedBy<Case extends string>(name: Case, value: string) {
  return { case: name, value };
}

function definitionIn({ agent }: GetDefinitionResponse): Definition {
  if (agent?.definition === undefined) throw new Error("The agents service sent no definition");
  return agent.definition;
}

async function compile(definition: Definition): Promise<Program> {
  const { compileDefinition } = await loadCompiler();
  const compiled = compileDefinition(sourceOf(definition));
  if (compiled.ok) return compiled.program;
  throw rpcError(Reason.INVALID_DEFINITION, "This agent's definition can no longer be run.", {
    issues: compiled.issues.map(issueOf),
  });
}

/** At least 1. */
function sourceLength({ protocol, prompts, references }: Definition): number {
  const texts = [...prompts, ...references];
  return texts.reduce((sum, { content }) => sum + content.length, protocol.length + 1);
}
