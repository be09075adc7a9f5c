import { agentOfKey } from "../api/agent-of-key.ts";
import { type AgentWork, getOwnAgentName } from "../api/threads.ts";
import { usageError } from "../exit.ts";
import { readApiKey } from "../http/settings.ts";
import type { Invocation } from "../invocation.ts";
import { findHiredAgent } from "./find-hired-agent.ts";

const variable = "MUSTER_AGENT_KEY";

/** The work of an agent, by its name, slug or id: with its own key in MUSTER_AGENT_KEY, or else with the key of the project. */
export async function findWork(invocation: Invocation, name: string): Promise<AgentWork> {
  const key = invocation.io.env[variable] ?? "";
  if (key !== "") return workOfKey(invocation, key, name);
  const api = invocation.api();
  const { id, name: found } = await findHiredAgent(api, name);
  return { agentId: id, ref: shellWord(name), name: found, api, root: "/api/admin" };
}

/** Quotes what a shell would split or expand. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Throws a usage error unless the key's agent is the named one. */
async function workOfKey(invocation: Invocation, key: string, name: string): Promise<AgentWork> {
  const api = invocation.apiWith(readApiKey(key, variable), variable);
  const agentId = await agentOfKey(api);
  if (agentId === undefined)
    throw usageError(`${variable} is not a key of a workforce agent. Unset it, or set it to one.`);
  const own = await getOwnAgentName(api, agentId);
  if (name !== agentId && name !== own)
    throw usageError(`${variable} is a key of ${own} (${agentId}), not of ${name}.`);
  return { agentId, ref: shellWord(name), name: own, api, root: "/api/v1" };
}
