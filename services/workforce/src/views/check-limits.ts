import {
  type MonthlyLimits,
  monthlyLimits,
  monthOf,
  Reason,
  reachedLimit,
  relayedFailure,
  rpcError,
  type SpendingLimits,
  workforceLimits,
} from "@muster/rpc";
import type { WorkforceContext } from "../context.ts";
import type { AgentDocument } from "../store/agent-document.ts";
import type { Failure } from "../store/thread-document.ts";

const timeoutMs = 5_000;

/** A limit that is reached. */
export interface ReachedLimit extends Failure {
  /** The error of a request that is refused because of it. */
  refusal: typeof Reason.SPENDING_LIMIT | typeof Reason.USAGE_LIMIT;
}

type Context = Pick<WorkforceContext, "services" | "callFor" | "callAsPlatform" | "runs" | "clock">;

/** The limits of the agent and of its project for all of its agents. */
export async function limitsOf(
  context: Pick<Context, "services" | "callAsPlatform">,
  { projectId, limits }: Pick<AgentDocument, "projectId" | "limits">,
): Promise<{ agent: MonthlyLimits; project: MonthlyLimits }> {
  return { agent: limits, project: (await projectLimitsOf(context, projectId)).workforce };
}

/** `overall`: with its sessions. Those of the project itself are checked before each model call by the sessions service, too. */
async function projectLimitsOf(
  context: Pick<Context, "services" | "callAsPlatform">,
  projectId: string,
): Promise<{ workforce: MonthlyLimits; overall: SpendingLimits }> {
  const options = context.callAsPlatform({ timeoutMs });
  const answer = await context.services.auth
    .getProjectLimits({ projectId }, options)
    .catch((error: unknown) => {
      throw relayedFailure(error, "The auth service does not respond.");
    });
  return { workforce: workforceLimits(answer.limits), overall: monthlyLimits(answer.limits) };
}

type Limited = Pick<AgentDocument, "_id" | "projectId" | "limits">;
export type FindReachedLimit = (agent: Limited) => Promise<ReachedLimit | undefined>;

/** The first limit of this month (UTC) that leaves no room for a run. Throws UNAVAILABLE if it cannot be known. */
export function findReachedLimit(context: Context, agent: Limited): Promise<ReachedLimit | undefined> {
  return reachedLimitsIn(context, agent.projectId)(agent);
}

/** The same for several agents of a project, whose own limits are read once. */
export function reachedLimitsIn(context: Context, projectId: string): FindReachedLimit {
  let ofProject: Promise<ReachedLimit | undefined> | undefined;
  const readProject = async () => {
    const { workforce, overall } = await projectLimitsOf(context, projectId);
    const ofAgents = await reachedIn(context, { projectId }, workforce, "The project");
    return ofAgents ?? reachedIn(context, { projectId, withSessions: true }, overall, "The project");
  };
  return async ({ _id: agentId, limits }) => {
    const ofAgent = await reachedIn(context, { projectId, agentId }, limits, "The agent");
    if (ofAgent !== undefined) return ofAgent;
    ofProject ??= readProject();
    return ofProject;
  };
}

/** The error for a follow-up that a limit refuses. */
export function limitRefusal({ refusal, reason }: ReachedLimit) {
  return rpcError(refusal, reason);
}

interface Scope {
  projectId: string;
  agentId?: string;
  /** With the use of sessions and workers. */
  withSessions?: boolean;
}

async function reachedIn(
  { services, callFor, runs, clock }: Context,
  scope: Scope,
  limits: MonthlyLimits,
  who: string,
): Promise<ReachedLimit | undefined> {
  const { monthlyUsd, monthlyTokens, monthlyRuns } = limits;
  const month = monthOf(clock.now());
  const remedy = "Raise the limit, or wait for the next month (UTC).";
  if (monthlyRuns !== undefined && (await isCountReached(runs, scope, month, monthlyRuns))) {
    const reason = `${who} has used its ${monthlyRuns} runs of this month. ${remedy}`;
    return { type: "billing", reason, refusal: Reason.USAGE_LIMIT };
  }
  const reached = await reachedLimit(limits, () => sumOf({ services, callFor }, scope, month));
  if (reached === undefined) return undefined;
  const isMoney = reached === "spending-limit";
  const limit = isMoney ? `spending limit of $${monthlyUsd}` : `limit of ${monthlyTokens} tokens`;
  const refusal = isMoney ? Reason.SPENDING_LIMIT : Reason.USAGE_LIMIT;
  return { type: "limit", reason: `${who} has reached its ${limit} for this month. ${remedy}`, refusal };
}

async function isCountReached(
  runs: Context["runs"],
  { projectId, agentId }: Scope,
  month: string,
  limit: number,
): Promise<boolean> {
  // A limit of 0 in a query would mean none.
  return (
    limit === 0 ||
    (await runs.count({ projectId, ...(agentId !== undefined && { agentId }) }, month, limit)) >= limit
  );
}

async function sumOf(
  { services, callFor }: Pick<Context, "services" | "callFor">,
  { projectId, agentId, withSessions = false }: Scope,
  month: string,
) {
  const request = { month, withSessions, ...(agentId !== undefined && { workforceAgentId: agentId }) };
  try {
    const { totalFeeUsd, totalTokens } = await services.sessions.sumUsage(
      request,
      callFor(projectId, { timeoutMs }),
    );
    return { totalFee: totalFeeUsd || "0", tokens: Number(totalTokens) };
  } catch (error) {
    throw relayedFailure(error, "The sessions service does not respond.");
  }
}
