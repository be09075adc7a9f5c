import type { AgentRef } from "@muster/proto/agents";
import { Reason } from "@muster/proto/errors";
import { type CallPrincipal, invalidRequest, isWorkforce, noSuchAgent, rpcError } from "@muster/rpc";
import type { AgentsContext } from "../context.ts";
import { prebuiltProject } from "../prebuilt/prebuilt-project.ts";
import type { AgentKey } from "../store/agents.ts";
import type { AgentDocument, VersionDocument } from "../store/documents.ts";
import { assertReaches } from "./caller.ts";

const maxKeyLength = 200;

/** Throws INVALID_REQUEST for an empty reference. A malformed one is looked up and not found. */
export function parseRef(ref: AgentRef | undefined): AgentKey {
  const { case: by, value } = ref?.by ?? {};
  if (by === undefined || value === undefined || value === "" || value.length > maxKeyLength) {
    throw invalidRequest("agent", "must name an agent by id or slug");
  }
  return by === "id" ? { id: value } : { slug: value };
}

/** Throws NOT_FOUND for unknown and archived agents and for those of other projects alike. */
export async function requireActive(
  { agents }: AgentsContext,
  projectId: string,
  key: AgentKey,
): Promise<AgentDocument> {
  const agent = await agents.findActive(projectId, key);
  if (agent === null) throw noSuchAgent("id" in key ? key.id : undefined);
  return agent;
}

/** The same for a caller that may be limited to one agent. Throws FORBIDDEN for every other one, existing or not. */
export async function requireReachable(
  { agents }: AgentsContext,
  caller: CallPrincipal,
  key: AgentKey,
): Promise<AgentDocument> {
  const agent = await agents.findActive(caller.projectId, key);
  assertReaches(caller, agent?._id ?? ("id" in key ? key.id : ""));
  if (agent === null) throw noSuchAgent("id" in key ? key.id : undefined);
  return agent;
}

/** The latest version unless one is given. Throws NOT_FOUND. */
export async function requireVersion(
  { agents, reads, prebuilt }: AgentsContext,
  agent: AgentDocument,
  version: number = agent.latestVersion,
): Promise<VersionDocument> {
  const exists = version >= 1 && version <= agent.latestVersion;
  const store = agent.projectId === prebuiltProject ? prebuilt.agents : agents;
  const { projectId, _id: agentId } = agent;
  const find = () => store.findVersion(projectId, agentId, version);
  const found = exists ? await reads.run(projectId, find) : null;
  if (found === null) throw rpcError(Reason.NOT_FOUND, "The agent does not have this version.");
  return found;
}

/** An agent of the caller's project, archived or not, or a pre-built one for the workforce service. */
export async function findRunnable(
  { agents, prebuilt }: AgentsContext,
  caller: CallPrincipal,
  agentId: string,
): Promise<AgentDocument | null> {
  const own = await agents.find(caller.projectId, agentId);
  return own ?? (isWorkforce(caller) ? await prebuilt.find(agentId) : null);
}

export function versionMismatch({ latestVersion }: AgentDocument) {
  const message = `The current version of the agent is ${latestVersion}, which is not an expected one. Read the agent again and repeat the change.`;
  return rpcError(Reason.VERSION_MISMATCH, message);
}
