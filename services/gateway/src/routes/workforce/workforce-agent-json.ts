import type { Agent, HiredFrom } from "@muster/proto/workforce";
import { internalProblem } from "../../edge/errors/from-rpc.ts";

/** A workforce agent as the holders of its keys see it. */
export function workforceAgentJson(agent: Agent) {
  const { computer } = agent;
  if (!computer) throw internalProblem(new Error("a workforce agent without a computer"));
  return {
    agentId: agent.id,
    name: agent.name,
    status: agent.status,
    unavailableReason: agent.unavailableReason ?? null,
    currentThreadId: agent.currentThreadId ?? null,
    queuedThreads: agent.queuedThreads,
    computer: { kind: computer.kind, os: computer.os, state: computer.state },
    definition: definitionJson(agent.hiredFrom),
    capabilities: agent.capabilities,
  };
}

/** The pre-built agent that a workforce agent was hired from. */
export function definitionJson(hiredFrom: HiredFrom | undefined) {
  return hiredFrom === undefined ? null : { slug: hiredFrom.slug, version: hiredFrom.version };
}
