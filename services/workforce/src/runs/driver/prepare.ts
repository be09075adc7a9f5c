import type { MonthlyLimits } from "../../store/agent-document.ts";
import type { ThreadDocument } from "../../store/thread-document.ts";
import type { ThreadLog } from "../events/thread-log.ts";
import { findReachedLimit, readProjectLimits } from "../limits/find-reached-limit.ts";
import type { RunsContext } from "../runs-context.ts";
import type { ActiveRun } from "../slot/active-run.ts";
import { Broken } from "./broken.ts";
import { callService } from "./call-service.ts";
import { type ReachedComputer, reachComputer } from "./reach-computer.ts";

export interface Prepared extends ReachedComputer {
  projectLimits: MonthlyLimits;
}

/** Everything that a run needs before it does anything, at the same time. Throws {@link Broken}. */
export async function prepare(
  context: RunsContext,
  run: ActiveRun,
  log: ThreadLog,
  thread: ThreadDocument,
): Promise<Prepared> {
  const hasBegun = thread.request !== null;
  const [projectLimits, reached] = await Promise.all([
    // A turn that has begun goes on: the session checks the limits before each model call.
    hasBegun ? projectLimitsOf(context, run) : checkedLimits(context, run),
    reachComputer(context, run, hasBegun),
    thread.turn === 0 && openSession(context, run, thread),
    // Until the first event is stored, an earlier holder could still write some.
    run.isTakeOver && log.flushed(run.abandoning),
  ]);
  return { ...reached, projectLimits };
}

function projectLimitsOf(context: RunsContext, run: ActiveRun): Promise<MonthlyLimits> {
  return callService(context, run, () => readProjectLimits(context, run.threadKey.projectId));
}

/** The limits of the project. Throws if another run would exceed them, or those of the agent. */
export async function checkedLimits(context: RunsContext, run: ActiveRun): Promise<MonthlyLimits> {
  const projectLimits = await projectLimitsOf(context, run);
  const agent = { ...run.agentKey, limits: await currentLimits(context, run) };
  const reached = await callService(context, run, () => findReachedLimit(context, agent, projectLimits));
  if (reached !== undefined) throw new Broken({ at: "limit", ...reached });
  return projectLimits;
}

/** They may have been changed since the run began. */
async function currentLimits({ agents }: RunsContext, run: ActiveRun): Promise<MonthlyLimits> {
  return (await agents.find(run.agentKey))?.limits ?? run.agent.limits;
}

/** Harmless if the session exists. */
async function openSession(context: RunsContext, run: ActiveRun, thread: ThreadDocument): Promise<void> {
  const { definition, input } = run.agent;
  const { projectId } = run.threadKey;
  const request = {
    agentId: definition.agentId,
    inputJson: input,
    workforce: {
      sessionId: thread.sessionId,
      workforceAgentId: run.agentKey.agentId,
      agentVersion: thread.definitionVersion,
    },
  };
  const { sessions } = context.services;
  await callService(context, run, () => sessions.createSession(request, context.callFor(projectId)));
}
