import { create } from "@bufbuild/protobuf";
import { sameFields } from "@muster/events/audit";
import {
  type AgentLimitChanges,
  type UpdateAgentRequest,
  UpdateAgentResponseSchema,
} from "@muster/proto/workforce";
import { checkLimits, Issues, type LimitChanges, readApprovalRules } from "@muster/rpc";
import { assertRunnable } from "../dispatch/hire/assert-runnable.ts";
import { loadOtherVersion } from "../dispatch/hire/definition.ts";
import { assertDeclared, readCapabilities, readRunConfig } from "../input/run-config.ts";
import { checkName } from "../input/texts.ts";
import { keyOfAgent } from "../store/agent-document.ts";
import type { AgentChanges } from "../store/agent-store.ts";
import { showHiredAgent } from "../views/agent-view.ts";
import type { Handler } from "./handler.ts";
import { managedAgent, refusalOfChange } from "./managed-agent.ts";

const timeoutMs = 5_000;
const wholeNumber = /^\d{1,15}$/;

export const updateAgent: Handler<"updateAgent"> = async (context, request, call) => {
  const agent = await managedAgent(context, request.agentId, call);
  const changes = readChanges(request);
  const { settings, capabilities } = changes;
  const { services } = context;
  const options = () => context.callFor(agent.projectId, { timeoutMs });
  const { version } = request;
  const moved = version === undefined ? undefined : await loadOtherVersion(services, agent, version, options);
  assertDeclared((moved?.fields ?? agent).declared, [
    { path: "capabilities", capabilities },
    { path: "settings.capabilities", capabilities: settings?.capabilities },
  ]);
  if (settings) await assertRunnable(services, settings, "settings", options());
  const key = keyOfAgent(agent);
  const { declared: _declared, base: _base, ...after } = { ...changes, ...moved?.fields };
  const before = {
    ...sameFields(agent, after),
    // Only some of these change.
    capabilities: sameFields(agent.capabilities, after.capabilities ?? {}),
    limits: sameFields(agent.limits ?? {}, after.limits ?? {}),
  };
  const change = { projectId: agent.projectId, target: agent._id, before, after };
  const entry = context.auditEntry(call, "hire.update", change);
  const expected = request.expectedRevisions;
  const changed = await context.agents.update(key, { ...changes, ...moved?.fields }, entry, expected);
  if (changed === null) throw refusalOfChange(await context.agents.find(key));
  context.wakeUps.agentChanged(key);
  return create(UpdateAgentResponseSchema, {
    agent: await showHiredAgent(context, changed),
    unexecutedTools: moved?.unexecutedTools ?? [],
  });
};

/** Throws INVALID_REQUEST with every issue. */
function readChanges(request: UpdateAgentRequest): AgentChanges {
  const { name, paused, managed, settings, capabilities, limits, approvals } = request;
  const issues = new Issues();
  if (name !== undefined) checkName(issues, "name", name);
  const changes = {
    ...(name !== undefined && { name }),
    ...(paused !== undefined && { paused }),
    ...(managed !== undefined && { managed }),
    ...(settings && { settings: readRunConfig(issues, "settings", settings) }),
    capabilities: readCapabilities(issues, "capabilities", capabilities),
    limits: readLimitChanges(issues, limits),
    ...(approvals && { approvals: readApprovalRules(issues, "approvals", approvals.rules) }),
  };
  issues.refuse();
  return changes;
}

/** Each limit that is `""` is removed. */
function readLimitChanges(issues: Issues, changes: AgentLimitChanges | undefined): LimitChanges {
  const { monthlyUsd, monthlyTokens, monthlyRuns } = changes ?? {};
  return checkLimits(issues, {
    ...(monthlyUsd !== undefined && { monthlyUsd: monthlyUsd || null }),
    ...(monthlyTokens !== undefined && { monthlyTokens: numberIn(monthlyTokens) }),
    ...(monthlyRuns !== undefined && { monthlyRuns: numberIn(monthlyRuns) }),
  });
}

function numberIn(text: string): number | null {
  if (text === "") return null;
  return wholeNumber.test(text) ? Number(text) : Number.NaN;
}
