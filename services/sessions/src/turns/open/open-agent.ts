import type { HandlerContext } from "@connectrpc/connect";
import type { InteractiveProgram } from "@muster/language";
import { type CallPrincipal, forbidden, invalidRequest } from "@muster/rpc";
import { type AgentName, isOf, type PinnedAgent } from "../../agents/programs.ts";
import type { SessionsContext } from "../../context.ts";
import { assertAgent } from "../../input/caller.ts";

export interface OpenAgent extends PinnedAgent {
  program: InteractiveProgram;
}

/** Throws FORBIDDEN if the caller can never open this agent's sessions. */
export function assertMayOpen(caller: CallPrincipal, name: AgentName): void {
  if (caller.sessionId !== undefined) {
    throw forbidden("This credential is valid for one session and cannot create others.");
  }
  if ("agentId" in name) assertAgent(caller, name.agentId);
}

/** The version of an agent for new sessions of this caller. Absent: the latest, unless the agent is archived. */
export async function openAgent(
  { programs }: SessionsContext,
  caller: CallPrincipal,
  name: AgentName,
  call: HandlerContext,
  version?: number,
): Promise<OpenAgent> {
  const archived = "This agent is archived and accepts no new sessions.";
  const { program, agentId, agentVersion } =
    version === undefined || "slug" in name
      ? await programs.latest(name, caller.projectId, call, archived)
      : await programs.version({ projectId: caller.projectId, ...name, agentVersion: version }, call);
  assertAgent(caller, agentId);
  if (!isOf(program, "interactive")) {
    throw invalidRequest(
      "agentId" in name ? "agentId" : "agentSlug",
      "must be an interactive agent; workers are executed instead",
    );
  }
  return { projectId: caller.projectId, agentId, agentVersion, program };
}
