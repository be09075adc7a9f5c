import { setTimeout } from "node:timers/promises";
import { drainClaims } from "@muster/service/claim";
import type { WorkforceContext } from "../context.ts";
import { type AgentDocument, type AgentKey, keyOfAgent, ownerOf } from "../store/agent-document.ts";
import { drive } from "./driver/drive.ts";
import { ActiveRun } from "./slot/active-run.ts";
import { nextAction } from "./slot/next-action.ts";

/** Agents that a poll reads at once. */
const pageSize = 100;

export type Runner = ReturnType<typeof createRunner>;

/**
 * Drives the runs of this instance. Events name the agents to check, a poll finds those that they missed, and the
 * agent's document decides which process begins or continues a run.
 */
export function createRunner(context: WorkforceContext) {
  const { agents, wakeUps, instance, timings, clock, newId, log } = context;
  const active = new Map<string, { run: ActiveRun; ended: Promise<void> }>();
  /** Agents that are being checked, and whether to check again afterwards. */
  const looking = new Map<string, boolean>();
  const closers: Array<() => void> = [];
  const stopping = new AbortController();
  let polling: Promise<void> | undefined;

  const look = (key: AgentKey): void => {
    const { agentId } = key;
    if (stopping.signal.aborted || active.has(agentId)) return;
    const isLooking = looking.has(agentId);
    looking.set(agentId, isLooking);
    if (!isLooking) void lookUntilDone(key);
  };

  const lookUntilDone = async (key: AgentKey): Promise<void> => {
    try {
      do {
        looking.set(key.agentId, false);
        const agent = await agents.findAny(key);
        if (agent !== null) await act(agent);
      } while (looking.get(key.agentId));
    } catch (error) {
      log.warn(
        { err: error, ...key },
        "the work of an agent could not be looked at; the next poll tries again",
      );
    } finally {
      looking.delete(key.agentId);
    }
  };

  const act = async (agent: AgentDocument): Promise<void> => {
    if (stopping.signal.aborted || active.has(agent._id)) return;
    const { onlyHolder } = context;
    const nowMs = clock.now();
    const key = keyOfAgent(agent);
    const action = nextAction(agent, { nowMs, onlyHolder });
    if (action.type === "claim" || action.type === "take-over") {
      // Only the process that has the connection of the computer can use it.
      const { kind } = agent.computer;
      if (kind !== "sandbox" && (await context.computers.machines.isElsewhere(ownerOf(agent)))) return;
    }
    const lease = { holder: instance, until: new Date(nowMs + timings.leaseMs) };
    if (action.type === "claim") {
      const claimed = await agents.claim(key, { threadId: action.threadId, runId: newId("run") }, lease);
      if (claimed !== null) begin(claimed, false);
    } else if (action.type === "take-over") {
      const taken = await agents.takeOver(key, agent, lease, new Date(nowMs), onlyHolder);
      if (taken !== null) begin(taken, true);
    } else if (action.type === "rest") await agents.rest(agent);
  };

  const begin = (agent: AgentDocument, isTakeOver: boolean): void => {
    const run = new ActiveRun(agent, isTakeOver);
    const ended = drive(context, run).finally(() => {
      active.delete(agent._id);
      look(run.agentKey);
    });
    active.set(agent._id, { run, ended });
    if (stopping.signal.aborted) run.stop("draining");
  };

  const poll = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await pollOnce();
      } catch (error) {
        log.warn({ err: error }, "the work of agents could not be looked for; the next poll tries again");
      }
      await setTimeout(timings.pollEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };

  const pollOnce = async (): Promise<void> => {
    for (let after = ""; ; ) {
      const page = await agents.withWork(pageSize, after);
      for (const agent of page) {
        const { onlyHolder } = context;
        if (nextAction(agent, { nowMs: clock.now(), onlyHolder }).type !== "wait") look(keyOfAgent(agent));
      }
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return;
      after = last._id;
    }
  };

  const ended = async (): Promise<void> => {
    while (active.size > 0) await Promise.all([...active.values()].map((each) => each.ended));
  };

  return {
    start: (): void => {
      closers.push(wakeUps.onAgent(look));
      polling = poll();
    },

    /** The runs of this process. For tests and figures. */
    get size(): number {
      return active.size;
    },

    /**
     * Begins no more runs, and hands those that run to other processes: at once, or when the tool calls in flight have
     * ended, but not later than the configured time.
     */
    drain: async (): Promise<void> => {
      for (const close of closers.splice(0)) close();
      stopping.abort();
      await drainClaims(() => Array.from(active.values(), ({ run }) => run), timings.drainMs, ended);
      await polling;
    },
  };
}
