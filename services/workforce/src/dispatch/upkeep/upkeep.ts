import type { WorkforceContext } from "../../context.ts";
import { sweepRecordings } from "../../recordings/sweep-recordings.ts";
import { settleWaiting } from "../../runs/waiting/settle-waiting.ts";
import { completeOpenThreads } from "../acceptance.ts";
import { removeAgent } from "./remove-agent.ts";

const batchSize = 20;

export type Upkeep = ReturnType<typeof createUpkeep>;

/**
 * Ends what requests and runs have begun whose processes died: the acceptance of threads and messages, the removal of agents,
 * waits for decisions, and recordings.
 */
export function createUpkeep(context: WorkforceContext) {
  const { clock, log, timings } = context;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();

  const removeAgents = async () => {
    for (const agent of await context.agents.beingRemoved(batchSize)) {
      await removeAgent(context, agent).catch((error: unknown) => {
        log.warn({ err: error, agentId: agent._id }, "an agent could not be removed");
      });
    }
  };

  const round = async () => {
    try {
      await completeOpenThreads(context, new Date(clock.now() - timings.completeAfterMs));
      await removeAgents();
      await settleWaiting(context);
      await sweepRecordings(context);
    } catch (error) {
      log.warn({ err: error }, "what requests have begun could not be completed");
    }
  };

  const schedule = () => {
    timer = setTimeout(() => {
      running = round().finally(() => {
        if (!isStopped) schedule();
      });
    }, timings.pollEveryMs);
  };

  return {
    start: schedule,
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
