import type { MonthlyLimits } from "@muster/rpc";
import type { WorkforceContext } from "../../context.ts";
import type { ThreadDocument } from "../../store/thread-document.ts";
import { findReachedLimit, limitsOf } from "../../views/check-limits.ts";
import type { ActiveRun } from "../slot/active-run.ts";
import { Broken } from "./broken.ts";
import { callService } from "./call-service.ts";
import { persist } from "./persist.ts";
import { type ReachedComputer, reachComputer } from "./reach-computer.ts";

export interface Prepared extends ReachedComputer {
  limits: Limits;
}

/** By calendar month (UTC). */
export interface Limits {
  agent: MonthlyLimits;
  project: MonthlyLimits;
}

/** Everything that a run needs before it does anything, at the same time. Throws {@link Broken}. */
export async function prepare(
  context: WorkforceContext,
  run: ActiveRun,
  thread: ThreadDocument,
): Promise<Prepared> {
  const hasBegun = thread.request !== null;
  const [limits, reached] = await Promise.all([
    // A turn that has begun continues: the session checks the limits before each model call.
    hasBegun ? readLimits(context, run) : checkedLimits(context, run),
    reachComputer(context, run, hasBegun),
    thread.turn === 0 && openSession(context, run, thread),
  ]);
  return { ...reached, limits };
}

/** The limits of the agent and its project, for the session. They may have been changed since the run began. */
async function readLimits(context: WorkforceContext, run: ActiveRun): Promise<Limits> {
  const agent = (await persist(run, () => context.agents.find(run.agentKey))) ?? run.agent;
  return callService(context, run, () => limitsOf(context, agent));
}

/** The same limits, read again. Throws if another run would exceed them. */
export async function checkedLimits(context: WorkforceContext, run: ActiveRun): Promise<Limits> {
  const agent = (await persist(run, () => context.agents.find(run.agentKey))) ?? run.agent;
  const [limits, reached] = await Promise.all([
    callService(context, run, () => limitsOf(context, agent)),
    callService(context, run, () => findReachedLimit(context, agent)),
  ]);
  if (reached !== undefined) {
    const { type, reason } = reached;
    throw new Broken({ at: "limit", reached: { type, reason } });
  }
  return limits;
}

/** Harmless if the session exists. */
async function openSession(context: WorkforceContext, run: ActiveRun, thread: ThreadDocument): Promise<void> {
  const { definition, input } = run.agent;
  const { projectId } = run.threadKey;
  const request = {
    agentId: definition.agentId,
    inputJson: input,
    workforce: {
      sessionId: thread.sessionId,
      workforceAgentId: run.agentKey.agentId,
      threadId: run.threadKey.threadId,
      agentVersion: thread.definitionVersion,
    },
  };
  const { sessions } = context.services;
  await callService(context, run, () => sessions.createSession(request, context.callFor(projectId)));
}
