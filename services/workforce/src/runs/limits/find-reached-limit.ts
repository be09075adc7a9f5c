import type { WorkforceContext } from "../../context.ts";
import type { MonthlyLimits } from "../../store/agent-document.ts";
import { monthOf } from "../../store/run-store.ts";
import type { ReachedLimit } from "../failures/classify-failure.ts";
import { type MonthlyUse, reachedLimit } from "./reached-limit.ts";

type Context = Pick<WorkforceContext, "services" | "callFor" | "runs" | "clock">;

interface LimitedAgent {
  projectId: string;
  agentId: string;
  limits: MonthlyLimits;
}

/** The limits of the project for all of its workforce agents. */
export async function readProjectLimits(
  { services, callFor }: Context,
  projectId: string,
): Promise<MonthlyLimits> {
  const { limits } = await services.auth.getProjectLimits({ projectId }, callFor(projectId));
  const { monthlyUsd, monthlyTokens, monthlyRuns } = limits ?? {};
  return {
    ...(monthlyUsd !== undefined && { monthlyUsd }),
    ...(monthlyTokens !== undefined && { monthlyTokens: Number(monthlyTokens) }),
    ...(monthlyRuns !== undefined && { monthlyRuns }),
  };
}

/** The limit of the agent or its project that another run would exceed. `runs`: how many runs it would add. */
export async function findReachedLimit(
  context: Context,
  { projectId, agentId, limits }: LimitedAgent,
  project: MonthlyLimits,
): Promise<ReachedLimit | undefined> {
  const ofAgent = await reachedOf(context, "agent", limits, { projectId, agentId });
  return ofAgent ?? (await reachedOf(context, "project", project, { projectId }));
}

async function reachedOf(
  context: Context,
  whose: ReachedLimit["whose"],
  limits: MonthlyLimits,
  whom: { projectId: string; agentId?: string },
): Promise<ReachedLimit | undefined> {
  if (Object.keys(limits).length === 0) return undefined;
  return reachedLimit(whose, limits, await readUse(context, limits, whom));
}

async function readUse(
  { services, callFor, runs, clock }: Context,
  { monthlyUsd, monthlyTokens, monthlyRuns }: MonthlyLimits,
  { projectId, agentId }: { projectId: string; agentId?: string },
): Promise<MonthlyUse> {
  const month = monthOf(new Date(clock.now()));
  const counted =
    monthlyRuns === undefined || monthlyRuns === 0
      ? 0
      : await runs.count({ projectId, ...(agentId !== undefined && { agentId }) }, month, monthlyRuns);
  if (monthlyUsd === undefined && monthlyTokens === undefined) return { usd: "0", tokens: 0, runs: counted };
  const request = { month, ...(agentId !== undefined && { workforceAgentId: agentId }) };
  const { totalFeeUsd, totalTokens } = await services.sessions.sumUsage(request, callFor(projectId));
  return { usd: totalFeeUsd, tokens: Number(totalTokens), runs: counted };
}
