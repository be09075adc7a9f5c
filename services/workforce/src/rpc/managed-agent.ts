import type { HandlerContext } from "@connectrpc/connect";
import { revisionMismatch } from "@muster/rpc";
import type { WorkforceContext } from "../context.ts";
import { managerOf } from "../input/caller.ts";
import type { AgentDocument } from "../store/agent-document.ts";
import { unknownAgent } from "../store/refusals.ts";

/** An agent that the caller manages. Throws NOT_FOUND. */
export async function managedAgent(
  { agents }: Pick<WorkforceContext, "agents">,
  agentId: string,
  call: HandlerContext,
): Promise<AgentDocument> {
  const { projectId } = managerOf(call);
  const agent = agentId === "" ? null : await agents.find({ projectId, agentId });
  if (agent === null) throw unknownAgent(agentId);
  return agent;
}

/** Why a conditional change found nothing: NOT_FOUND or VERSION_MISMATCH. `agent`: its present state. */
export function refusalOfChange(agent: AgentDocument | null) {
  if (agent === null) return unknownAgent();
  return revisionMismatch("workforce agent");
}
