import { setTimeout } from "node:timers/promises";
import { keyOfMachine } from "@muster/computers";
import type { WorkforceContext } from "../../context.ts";
import { ownerOf } from "../../store/agent-document.ts";
import type { ThreadDocument } from "../../store/thread-document.ts";
import type { ActiveRun } from "../slot/active-run.ts";
import { type Reaching, reachComputer } from "./reach-computer.ts";

interface Context extends Reaching, Pick<WorkforceContext, "computerTurns"> {
  computers: Reaching["computers"] & {
    machines: Pick<WorkforceContext["computers"]["machines"], "isElsewhere">;
  };
}

/**
 * Runs on a shared computer take turns, in order. The process that has its connection keeps the order: a
 * run that waits moves with the computer. Throws {@link Broken} if the computer cannot be reached; waiting for another run
 * takes as long as that run.
 */
export async function inTurn<T>(
  { context, run }: { context: Context; run: ActiveRun },
  { request }: Pick<ThreadDocument, "request">,
  work: () => Promise<T>,
): Promise<T> {
  const owner = ownerOf(run.agent);
  if (owner.computerId === undefined) return await work();
  await reachComputer(context, run, request !== null);
  const { computers, computerTurns, timings, log } = context;
  const waiting = new AbortController();
  const watch = async () => {
    while (!waiting.signal.aborted) {
      await setTimeout(timings.pollEveryMs, undefined, { signal: waiting.signal });
      const isElsewhere = await computers.machines.isElsewhere(owner).catch((error: unknown) => {
        log.warn(
          { err: error, ...run.threadKey },
          "it could not be read where a run's computer is connected",
        );
        return false;
      });
      if (isElsewhere) run.stop("draining");
    }
  };
  // It ends with the wait.
  watch().catch(() => undefined);
  const line = JSON.stringify(keyOfMachine(owner));
  try {
    return await computerTurns.run(
      line,
      async () => {
        waiting.abort();
        return await work();
      },
      { member: owner.agentId, signal: run.stopping },
    );
  } finally {
    waiting.abort();
  }
}
