import { type JsonObject, parseJsonObject } from "@muster/language";
import type { Agent, HiredAgent, HiredFrom } from "@muster/proto/workforce";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { isoOf } from "../../schemas/iso.ts";
import { monthlyLimitsJson } from "../../schemas/monthly-limits.ts";
import { runConfigJson } from "./run-config.ts";

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
    computer: {
      ...{ kind: computer.kind, os: computer.os, state: computer.state },
      ...(computer.id !== "" && { id: computer.id }),
    },
    definition: definitionJson(agent.hiredFrom),
    capabilities: agent.capabilities,
  };
}

/** The pre-built agent that a workforce agent was hired from. */
export function definitionJson(hiredFrom: HiredFrom | undefined) {
  return hiredFrom === undefined ? null : { slug: hiredFrom.slug, version: hiredFrom.version };
}

/** A workforce agent as those who manage it see it. Throws INTERNAL unless it is complete. */
export function hiredAgentJson(hired: HiredAgent | undefined) {
  if (!hired?.agent || !hired.settings) throw internalProblem(new Error("an incomplete workforce agent"));
  return {
    ...workforceAgentJson(hired.agent),
    projectId: hired.projectId,
    slug: hired.slug,
    definitionId: hired.definitionId || null,
    definitionVersion: hired.definitionVersion,
    paused: hired.paused,
    settings: runConfigJson(hired.settings),
    limits: monthlyLimitsJson(hired.limits),
    approvals: hired.approvals,
    input: inputOf(hired),
    revision: hired.revision,
    managed: hired.managed,
    createdAt: isoOf(hired.createdAt),
  };
}

function inputOf({ inputJson }: HiredAgent): JsonObject {
  const input = parseJsonObject(inputJson || "{}");
  if (!input.ok) throw internalProblem(new Error("the input of a workforce agent is not an object"));
  return input.value;
}

/** The warnings about tools that nothing executes. */
export function warningsJson(unexecutedTools: readonly string[]) {
  return unexecutedTools.map((name) => ({
    path: `tools.${name}`,
    message: `Nothing executes the tool ${name} in a run, so its calls fail. Remove it, or have the agent use its computer.`,
  }));
}
