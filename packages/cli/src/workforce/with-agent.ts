import { agentOfKey } from "../api/agent-of-key.ts";
import { getOwnAgentName } from "../api/threads.ts";
import { createAgentKey, deleteAgentKey } from "../api/workforce.ts";
import { usageError } from "../exit.ts";
import type { Api } from "../http/api.ts";
import { readApiKey } from "../http/settings.ts";
import type { Invocation } from "../invocation.ts";
import { findHiredAgent } from "./find-hired-agent.ts";

/** The work of one agent, which only its own keys can see and direct. */
export interface AgentAccess {
  readonly agentId: string;
  readonly name: string;
  /** A client with a key of the agent that stays valid for a while. Ask for it before each request. */
  api(): Promise<Api>;
}

/**
 * Uses the work of an agent, by its name or id: with the agent's key in MUSTER_AGENT_KEY, or else with keys of its own,
 * which are created with the key of the project and deleted afterwards.
 */
export async function withAgent<Result>(
  invocation: Invocation,
  name: string,
  use: (agent: AgentAccess) => Promise<Result>,
): Promise<Result> {
  const key = invocation.io.env.MUSTER_AGENT_KEY ?? "";
  if (key !== "") return use(await agentOf(invocation, key, name));
  const api = invocation.api();
  const { id, name: found } = await findHiredAgent(api, name);
  const keys = new TemporaryKeys(invocation, api, id);
  try {
    return await use({ agentId: id, name: found, api: () => keys.api() });
  } finally {
    await keys.remove();
  }
}

/** The agent of a key. Throws a usage error unless it is the named one. */
async function agentOf(invocation: Invocation, key: string, name: string): Promise<AgentAccess> {
  const variable = "MUSTER_AGENT_KEY";
  const api = invocation.apiWith(readApiKey(key, variable), variable);
  const agentId = await agentOfKey(api);
  if (agentId === undefined)
    throw usageError(`${variable} is not a key of a workforce agent. Unset it, or set one.`);
  const own = await getOwnAgentName(api, agentId);
  if (name !== agentId && name !== own)
    throw usageError(`${variable} is a key of ${own} (${agentId}), not of ${name}.`);
  return { agentId, name: own, api: async () => api };
}

const lifetimeMs = 60 * 60_000;
/** Enough for every request that begins with it. */
const renewBeforeMs = 15 * 60_000;

/** Keys of an agent that the command creates for itself. They expire soon if the command is killed. */
class TemporaryKeys {
  readonly #invocation: Invocation;
  readonly #project: Api;
  readonly #agentId: string;
  #current: { readonly id: string; readonly api: Api; readonly expiresAtMs: number } | undefined;

  constructor(invocation: Invocation, project: Api, agentId: string) {
    this.#invocation = invocation;
    this.#project = project;
    this.#agentId = agentId;
  }

  async api(): Promise<Api> {
    const nowMs = this.#invocation.io.now();
    if (this.#current !== undefined && nowMs + renewBeforeMs < this.#current.expiresAtMs)
      return this.#current.api;
    await this.remove();
    const expiresAtMs = nowMs + lifetimeMs;
    const request = { name: "muster workforce", expiresAt: new Date(expiresAtMs).toISOString() };
    const { id, key } = await createAgentKey(this.#project, this.#agentId, request);
    const api = this.#invocation.apiWith(key, "the command's temporary key");
    this.#current = { id, api, expiresAtMs };
    return api;
  }

  async remove(): Promise<void> {
    const { id } = this.#current ?? {};
    this.#current = undefined;
    // It expires by itself, and the outcome of the command counts more.
    if (id !== undefined) await deleteAgentKey(this.#project, this.#agentId, id).catch(() => undefined);
  }
}
